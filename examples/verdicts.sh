#!/bin/sh
# What a command can say with its exit status.
#
#   DISCORD_TOKEN=... gapless run --exec examples/verdicts.sh --input text --allow-everyone
text=$(cat)
case $text in
  *"not now"*)  echo "busy" >&2; exit 75 ;;         # try again, later and later
  *"forget it"*) echo "not for me" >&2; exit 65 ;;  # settled; the reason goes into the ledger
  *"quietly"*)  exit 0 ;;                            # done, and silence is the answer
  *)            echo "attempt $GAPLESS_ATTEMPT: $text" ;;
esac
