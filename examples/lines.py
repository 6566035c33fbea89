#!/usr/bin/env python3
"""A bot that stays: one process takes all deliveries, as JSON lines.

  DISCORD_TOKEN=... gapless run --exec examples/lines.py --mode lines --allow-everyone
"""
import json
import sys


def say(delivery, kind, **more):
    """Answers a delivery; every answer carries its id and fence."""
    line = {"type": kind, "delivery_id": delivery["delivery_id"], "fence": delivery["fence"], **more}
    print(json.dumps(line), flush=True)


print(json.dumps({"type": "ready"}), flush=True)
for line in sys.stdin:
    delivery = json.loads(line)
    if delivery["type"] != "deliver":
        continue  # a turn was taken back; this bot is never in the middle of one
    text = " ".join(message["text"] for message in delivery["messages"])
    say(delivery, "reply", text=f"{delivery['messages'][0]['author']} said: {text}")
    say(delivery, "done")
