module gapless/discordsim/clients/discordjs

go 1.26.0

require gapless v0.0.0

ignore ./node_modules

replace gapless => ../../..
