// Runs unmodified discord.js clients for the Go tests: one command per line on standard input, one answer or event per
// line on standard output, both JSON. A command carries a number, the name of its client and a deed; its answer carries
// the same number. Ends with its input.
import { createInterface } from 'node:readline';
import { Client, Events, GatewayIntentBits, Partials } from 'discord.js';

const { Guilds, GuildMessages, GuildMessageReactions, DirectMessages, MessageContent } = GatewayIntentBits;
const clients = new Map();
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const told = (m) => ({
  id: m.id, text: m.content, author: m.author.id, name: m.author.username, guild: m.guildId, channel: m.channelId,
  type: m.type, replyTo: m.reference?.messageId,
});

// The one setting that is not the default is the address of the API; the gateway's comes from there. Without partials
// discord.js passes over what concerns a channel it has not met.
function make(name, api, partials) {
  const client = new Client({
    intents: [Guilds, GuildMessages, GuildMessageReactions, DirectMessages, MessageContent],
    partials: partials ? [Partials.Channel] : [],
    rest: { api },
  });
  client.on(Events.MessageCreate, (m) => say({ client: name, event: 'message', message: told(m) }));
  client.on(Events.MessageReactionAdd, (r, user) => {
    say({ client: name, event: 'reaction', emoji: r.emoji.name, message: { id: r.message.id, author: user.id } });
  });
  client.on(Events.ShardDisconnect, (e) => say({ client: name, event: 'stopped', code: e.code }));
  client.on(Events.Error, () => {}); // an error event without a listener would end the process
  client.on(Events.ShardError, () => {});
  return client;
}

const deeds = {
  async open({ client, api, token, partials }) {
    const c = make(client, api, partials);
    clients.set(client, c);
    const ready = new Promise((resolve) => c.once(Events.ClientReady, resolve));
    await c.login(token);
    await ready;
    return { guilds: [...c.guilds.cache.keys()] };
  },
  async send({ client, channel, text }) {
    return { message: told(await clients.get(client).channels.cache.get(channel).send(text)) };
  },
  async reply({ client, channel, message, text }) {
    const asked = await clients.get(client).channels.cache.get(channel).messages.fetch(message);
    return { message: told(await asked.reply(text)) };
  },
  async react({ client, channel, message, emoji }) {
    const target = await clients.get(client).channels.cache.get(channel).messages.fetch(message);
    await target.react(emoji);
    return {};
  },
  async history({ client, channel, before, after, limit }) {
    const page = await clients.get(client).channels.cache.get(channel).messages.fetch({ before, after, limit, cache: false });
    return { ids: [...page.keys()] };
  },
  async active({ client, guild }) {
    const { threads } = await (await clients.get(client).guilds.fetch(guild)).channels.fetchActiveThreads();
    return { names: threads.map((t) => t.name) };
  },
  async archived({ client, channel, limit, before }) {
    const { threads, hasMore } = await clients.get(client).channels.cache.get(channel).threads.fetchArchived({ limit, before });
    return { names: threads.map((t) => t.name), ids: [...threads.keys()], more: hasMore };
  },
  async close({ client }) {
    await clients.get(client).destroy();
    return {};
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  deeds[command.deed](command).then(
    (answer) => say({ number: command.number, ...answer }),
    (error) => say({ number: command.number, error: `${error.name}: ${error.message}` }),
  );
}
process.exit(0);
