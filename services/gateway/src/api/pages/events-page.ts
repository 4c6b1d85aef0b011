import {
  type AsyncApiDocument,
  ceTypeOf,
  describedEventTypes,
  fieldRowsOf,
  isLogged,
  type PublicEventType,
  sampleEventOf,
  schemaFileOf,
  webhooksOnly,
} from '@indelible/public-events';

/**
 * The page at `/events/`: static, without scripts. Its links are relative, to work below any path that a proxy adds.
 */
export const eventsPage = ({ info, channels }: AsyncApiDocument): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(info.title)}</title>
<link rel="stylesheet" href="events.css">
<link rel="icon" type="image/png" href="../swagger/favicon-32x32.png">
</head>
<body>
<nav aria-label="On this page">
<a class="name" href="#top">${escaped(info.title)}</a>
<ul>
<li><a href="#subscribe">Subscribe</a></li>
${describedEventTypes
  .map(anchorOf)
  .map((anchor) => `<li><a href="#${anchor}"><code>${anchor}</code></a></li>`)
  .join('\n')}
</ul>
<ul>
<li><a href="../asyncapi.json">AsyncAPI</a></li>
<li><a href="../schemas/">JSON Schemas</a></li>
<li><a href="../swagger/">REST API</a></li>
</ul>
</nav>
<main id="top">
<header>
<h1>${escaped(info.title)}</h1>
${proseOf(info.description)}
</header>
<section id="subscribe">
<h2>Subscribe</h2>
${Object.values(channels).map(channelOf).join('\n')}
</section>
${describedEventTypes.map(typeOf).join('\n')}
</main>
</body>
</html>
`;

type Channel = AsyncApiDocument['channels'][keyof AsyncApiDocument['channels']];

const channelOf = ({ title, summary, description }: Channel): string => `<article>
<h3>${escaped(title)}</h3>
<p class="summary">${inline(summary)}</p>
${proseOf(description)}
</article>`;

/** The first version has the plain name. */
const anchorOf = ({ name, version }: PublicEventType): string => (version === 1 ? name : `${name}.v${version}`);

const typeOf = (type: PublicEventType): string => `<section id="${anchorOf(type)}" class="event">
<h2>${escaped(type.schema.title ?? type.name)} <a href="#${anchorOf(type)}" aria-label="Link to ${anchorOf(type)}">#</a></h2>
<p><code class="type">${ceTypeOf(type)}</code> <a href="../schemas/${schemaFileOf(type)}">JSON Schema</a></p>
${proseOf(type.schema.description ?? '')}${isLogged(type) ? '' : `\n${proseOf(webhooksOnly)}`}
<table>
<thead><tr><th scope="col">Field of <code>data</code></th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>
${fieldRowsOf(type.schema)
  .map(
    ({ name, type, description }) =>
      `<tr><th scope="row"><code>${breakable(name)}</code></th><td>${escaped(type)}</td><td>${inline(description)}</td></tr>`,
  )
  .join('\n')}
</tbody>
</table>
<details>
<summary>Example of <code>data</code></summary>
<pre><code>${escaped(JSON.stringify(sampleEventOf(type).data, null, 2))}</code></pre>
</details>
</section>`;

/** The part of CommonMark used in descriptions: paragraphs, inline code, and fenced code. */
const proseOf = (markdown: string): string =>
  markdown
    .split('\n\n')
    .map((part) => {
      const [, code] = /^```\n(.*)\n```$/s.exec(part) ?? [];
      return code === undefined ? `<p>${inline(part)}</p>` : `<pre><code>${escaped(code)}</code></pre>`;
    })
    .join('\n');

const inline = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** A long name may be broken after a dot. */
const breakable = (name: string): string => escaped(name).replaceAll('.', '.<wbr>');

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => entities[sign] as string);
