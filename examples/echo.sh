#!/bin/sh
# A bot in three lines: it answers with what it was told, and says when it is late.
#
#   DISCORD_TOKEN=... gapless run --exec examples/echo.sh --input text --allow-everyone
text=$(cat)
if [ "${GAPLESS_LATE_BY%.*}" -ge 60 ]; then echo "Sorry, I was away."; fi
echo "$GAPLESS_AUTHOR said: $text"
