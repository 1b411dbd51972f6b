import type { Random } from '../../core/model/random.ts'
import { between, digits, happens, oneOf } from '../small-sets/drawn-task.ts'
import { CITIES, FIRMS, ITEMS, TAGS } from '../small-sets/words.ts'
import { contact, type Document, documentTask, hex, isoDay, money, paragraph, sentence, some } from './document-task.ts'

interface Product {
  readonly name: string
  readonly price: string
  readonly link: string
}

interface Shop {
  readonly title: string
  readonly description: string
  readonly products: readonly Product[]
  readonly updated: string
}

function shopPage(random: Random): Document<Shop> {
  const firm = oneOf(random, FIRMS)
  const title = `${oneOf(random, TAGS)} ${oneOf(random, ITEMS)}s in ${oneOf(random, CITIES)} | ${firm}`
  const description = sentence(random)
  const updated = isoDay(random)
  const products = some(random, 10, 160, () => ({
    name: `${oneOf(random, TAGS)} ${oneOf(random, ITEMS)} ${digits(random, 3)}`,
    price: money(random, 1, 900),
    link: `/shop/${hex(random, 6)}.html`,
  }))
  const cards = products.map(
    ({ name, price, link }) => `      <li class="card" data-id="${digits(random, 6)}">
        <a class="card-link" href="${link}"><img src="/img/${hex(random, 8)}.jpg" alt=""></a>
        <h3 class="name">${name}</h3>
        <p>${sentence(random)}</p>
        ${happens(random, 30) ? `<span class="old">&euro; ${money(random, 1, 900)}</span>` : ''}
        <span class="price">&euro; ${price}</span>
      </li>`,
  )
  const text = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>${title}</title>
  <meta name="description" content="${description}">
  <link rel="stylesheet" href="/style/${hex(random, 8)}.css">
  <script>${some(random, 20, 120, () => `var x${hex(random, 4)} = ${digits(random, 5)};`).join(' ')}</script>
</head>
<body>
  <nav>${some(random, 4, 9, () => `<a href="/${oneOf(random, ITEMS)}/">${oneOf(random, ITEMS)}</a>`).join(' ')}</nav>
  <main>
    <h1>${oneOf(random, ITEMS)}</h1>
    <p>${paragraph(random)}</p>
    <ul class="cards">
${cards.join('\n')}
    </ul>
  </main>
  <footer>
    <p>Last updated on <time>${updated}</time> by ${contact(random).name}</p>
    <a href="/imprint">Imprint</a>
  </footer>
</body>
</html>
`
  return { text, facts: { title, description, products, updated } }
}

interface Article {
  readonly author: string
  readonly published: string
  readonly tags: readonly string[]
  readonly weight: string | null
  readonly comments: readonly { readonly by: string; readonly text: string }[]
}

function articlePage(random: Random): Document<Article> {
  const author = contact(random).name
  const published = isoDay(random)
  const tags = some(random, 2, 7, () => `${oneOf(random, TAGS)}-${oneOf(random, ITEMS)}`)
  const weight = happens(random, 60) ? `${between(random, 1, 90)} kg` : null
  const comments = some(random, 4, 90, () => ({ by: contact(random).name, text: paragraph(random, 1, 3) }))
  const facts = [
    ['Colour', oneOf(random, TAGS)],
    ['Size', `${between(random, 10, 90)} cm`],
    ...(weight === null ? [] : [['Weight', weight]]),
    ['Made in', oneOf(random, CITIES)],
  ] as const
  const text = [
    `<html><head><title>${sentence(random)}</title></head><body>`,
    `<div id="byline">by <b>${author}</b> on ${published}</div>`,
    ...some(random, 6, 60, () => `<p>${paragraph(random)}</p>`),
    `<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('')}</dl>`,
    ...some(random, 6, 60, () => `<p>${paragraph(random)}</p>`),
    `<p>Tags: ${tags.map((tag) => `<a rel="tag" href="/tags/${tag}">${tag}</a>`).join(', ')}</p>`,
    `<h2>${comments.length} comments</h2>`,
    ...comments.map(
      ({ by, text: said }) => `<div class="comment"><b>${by}</b> said:<blockquote>${said}</blockquote></div>`,
    ),
    '</body></html>',
  ].join('\n')
  return { text, facts: { author, published, tags, weight, comments } }
}

interface Team {
  readonly name: string
  readonly points: string
  readonly city: string
}

function tablePage(random: Random): Document<readonly Team[]> {
  const teams = some(random, 12, 260, () => ({
    name: `${oneOf(random, CITIES)} ${oneOf(random, ITEMS)}s`,
    points: String(between(random, 0, 99)),
    city: oneOf(random, CITIES),
  }))
  const text = [
    '<html><body>',
    `<table class="menu"><tr><td>${oneOf(random, ITEMS)}</td><td>${oneOf(random, ITEMS)}</td></tr></table>`,
    ...some(random, 5, 40, () => `<p>${paragraph(random)}</p>`),
    '<table class="standings">',
    '<tr><th>#</th><th>Team</th><th>Points</th><th>City</th></tr>',
    ...teams.map(
      (team, at) =>
        `<tr><td>${at + 1}</td><td><b>${team.name}</b></td><td>${team.points}</td><td>${team.city}</td></tr>`,
    ),
    '</table>',
    ...some(random, 5, 40, () => `<p>${paragraph(random)}</p>`),
    '</body></html>',
  ].join('\n')
  return { text, facts: teams }
}

/** Facts out of pages with markup. */
export const PAGES = [
  documentTask('pages', 'title of a page', shopPage, ({ title }) => title),
  documentTask('pages', 'description and last change', shopPage, ({ description, updated }) => ({
    description,
    updated,
  })),
  documentTask('pages', 'links of the products', shopPage, ({ products }) => products.map(({ link }) => link)),
  documentTask('pages', 'products with prices', shopPage, ({ products }) =>
    products.map(({ name, price }) => ({ name, price })),
  ),
  documentTask('pages', 'weight in a list of facts', articlePage, ({ weight, author }) => ({ author, weight })),
  documentTask('pages', 'tags of an article', articlePage, ({ tags }) => tags),
  documentTask('pages', 'teams of a table', tablePage, (teams) => teams.map(({ name, points }) => ({ name, points }))),
]
