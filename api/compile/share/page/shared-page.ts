import { formatCount, formatScore } from '../../../../core/compile/wire/facts/numbers.ts'
import { productionInWords } from '../../../../core/compile/wire/jobs/explain/production.ts'
import type { SharedContent } from '../../../../core/compile/wire/share/content.ts'
import type { SharedView } from '../../../../core/compile/wire/share/open.ts'
import { markup, type Markup, type Part } from '../../../../core/kernel/wire/markup.ts'
import { PICTURE_HEIGHT, PICTURE_WIDTH } from '../picture/picture-size.ts'
import { figuresTable } from './figures-table.ts'
import { renderPage } from './layout.ts'
import { inputColumns, type InputColumn } from './input-columns.ts'
import { tryItOf } from './try-it.ts'
import { kindOf } from './words.ts'
import { badge, bytesInWords, factsList, instant, scoreMark, valueText } from './values.ts'

/** The page of a share link: the facts of its JSON. `address` is that of the page. */
export function sharedPage(view: SharedView, address: string): string {
  return renderPage({
    title: view.name,
    head: headOf(view, address),
    main: markup`<p class="quiet">${view.kind === 'artifact' ? 'Shared artifact' : 'Shared report'}</p>
<h1>${view.name}</h1>
${view.in_words && markup`<p class="lead">${view.in_words.accuracy} ${view.in_words.kind}</p>`}
${factsOf(view)}
${view.content && recipeOf(view, view.content)}
${view.try_it && tryItOf(view.content, view.try_it)}
${view.content && rowsOf(view.content)}
${view.figures && figuresTable(view.figures)}
${filesOf(view)}`,
  })
}

/** One line for previews of the link. */
function summaryOf({ k_score: score, recipe_kind: kind, in_words: words }: SharedView): string {
  return `K ${formatScore(score)}, ${kindOf(kind)}.${words === undefined ? '' : ` ${words.accuracy}`}`
}

function headOf(view: SharedView, address: string): Part {
  const picture = `${address}/picture.png`
  const properties = [
    ['og:type', 'website'],
    ['og:site_name', 'svc'],
    ['og:title', view.name],
    ['og:description', summaryOf(view)],
    ['og:url', address],
    ['og:image', picture],
    ['og:image:type', 'image/png'],
    ['og:image:width', String(PICTURE_WIDTH)],
    ['og:image:height', String(PICTURE_HEIGHT)],
    ['og:image:alt', `${view.name}: ${summaryOf(view)}`],
  ] as const
  return [
    markup`<meta name="description" content="${summaryOf(view)}">\n`,
    properties.map(([name, text]) => markup`<meta property="${name}" content="${text}">\n`),
    markup`<meta name="twitter:card" content="summary_large_image">\n`,
    view.try_it !== null && markup`<script type="module" src="/console/share/try.js"></script>\n`,
  ]
}

function factsOf(view: SharedView): Markup {
  const { in_words: words, production_ready: isReady, accepted, signed_by: signer } = view
  const sentences = words && [words.scoring, words.interval].filter((text) => text !== null).join(' ')
  return factsList([
    ['K-score', [scoreMark(view), sentences !== undefined && markup`<span class="quiet why">${sentences}</span>`]],
    isReady !== undefined && ['Ready for production', readinessOf(view, isReady)],
    accepted !== null && [
      'Accepted below its floor',
      markup`${words?.acceptance} <span class="quiet">${instant(accepted.at)}</span>`,
    ],
    ['Kind', kindOf(view.recipe_kind)],
    ['Held-out rows', formatCount(view.holdout_count)],
    ['Size of the archive', bytesInWords(view.bytes)],
    ['Signed', instant(view.signed_at)],
    ['This link ends', instant(view.expires_at)],
    signer !== null && signer !== undefined && ['Signed by the key', long(signer)],
    ['CID', long(view.cid)],
    ['Digest of the archive', long(view.archive_hash)],
  ])
}

function long(text: string): Markup {
  return markup`<code class="long">${text}</code>`
}

function readinessOf({ production_reasons: reasons = [] }: SharedView, isReady: boolean): Markup {
  if (isReady) return badge('ready', 'yes')
  return markup`<span class="reasons">${badge('warned', 'no')}<span class="quiet">${productionInWords(reasons)}</span></span>`
}

function recipeOf({ name }: SharedView, { task, recipe }: SharedContent): Markup {
  return markup`<h2>What it does</h2>
${task !== name && markup`<p>${task}</p>`}
<ul class="recipe">${recipe.map(({ depth, text }) => markup`<li data-depth="${Math.min(depth, 6)}">${text}</li>\n`)}</ul>`
}

const RESULTS = {
  right: badge('ready', 'right'),
  wrong: badge('failed', 'wrong'),
  abstained: badge('failed', 'no answer'),
} as const

function rowsOf({ rows, rows_n: n }: SharedContent): Markup {
  if (rows.length === 0) {
    return markup`<h2>Held-out rows</h2>
<p>The archive holds digests of its ${formatCount(n, 'held-out row')}, not the rows.</p>`
  }
  const hasWrong = rows.some(({ result }) => result !== 'right')
  const caption = `${formatCount(rows.length)} of ${formatCount(n, 'held-out row')}${hasWrong ? ', wrong answers first' : ''}`
  const inputs = inputColumns(rows.map(({ input }) => input))
  const heads = inputs.map(({ title }) => markup`<th scope="col">${title}</th>`)
  return markup`<h2>Held-out rows</h2>
<p class="quiet" id="shown">${caption}</p>
<table aria-labelledby="shown">
<thead><tr>${heads}<th scope="col">Expected</th><th scope="col">Answer</th><th scope="col">Result</th></tr></thead>
<tbody>${rows.map((row) => rowOf(row, inputs))}</tbody></table>`
}

function rowOf(
  { input, expected, got, result }: SharedContent['rows'][number],
  inputs: readonly InputColumn[],
): Markup {
  const name = inputs.length === 1 ? 'wide' : ''
  return markup`<tr>${inputs.map(
    ({ title, cell }) => markup`<td class="${name}" data-title="${title}">${cell(input)}</td>
`,
  )}
<td class="wide" data-title="Expected">${valueText(expected)}</td>
<td class="wide" data-title="Answer">${result === 'abstained' ? markup`<span class="quiet">–</span>` : valueText(got)}</td>
<td data-title="Result">${RESULTS[result]}</td></tr>
`
}

function filesOf({ parts, kind }: SharedView): Markup {
  const links = parts
    .toReversed()
    .map(({ name, url }) =>
      name === 'archive'
        ? markup`<a class="button primary" href="${new URL(url).pathname}" download>Download .svc</a>`
        : markup`<a class="button" href="${new URL(url).pathname}">Report as JSON</a>`,
    )
  const check =
    kind === 'artifact' &&
    markup`<p class="quiet">Check it without this service: <code>svc verify FILE.svc</code> recomputes every digest and checks the signature.</p>`
  return markup`<h2>Files</h2>
<div class="buttons">${links}</div>
${check}`
}
