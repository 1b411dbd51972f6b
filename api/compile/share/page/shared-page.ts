import { formatCount, formatScore } from '../../../../core/compile/wire/facts/numbers.ts'
import type { SharedContent } from '../../../../core/compile/wire/share/content.ts'
import type { SharedView } from '../../../../core/compile/wire/share/open.ts'
import { markup, type Markup, type Part } from '../../../../core/kernel/wire/markup.ts'
import { PICTURE_HEIGHT, PICTURE_WIDTH } from '../picture/picture-size.ts'
import { figuresTable } from './figures-table.ts'
import { renderPage } from './layout.ts'
import { kindOf } from './words.ts'
import { badge, bytesInWords, factsList, instant, reasonsInWords, scoreMark, valueText } from './values.ts'

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
${view.try_it && tryItOf(view, view.try_it)}
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
  return markup`<span class="reasons">${badge('warned', 'no')}<span class="quiet">${reasonsInWords(reasons)}</span></span>`
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
    return markup`<h2>Evaluated rows</h2>
<p>The archive holds digests of its ${formatCount(n, 'evaluated row')}, not the rows.</p>`
  }
  const hasWrong = rows.some(({ result }) => result !== 'right')
  const caption = `${formatCount(rows.length)} of ${formatCount(n, 'evaluated row')}${hasWrong ? ', wrong answers first' : ''}`
  return markup`<h2>Evaluated rows</h2>
<p class="quiet" id="shown">${caption}</p>
<table aria-labelledby="shown">
<thead><tr><th scope="col">Input</th><th scope="col">Expected</th><th scope="col">Answer</th><th scope="col">Result</th></tr></thead>
<tbody>${rows.map(rowOf)}</tbody></table>`
}

function rowOf({ input, expected, got, result }: SharedContent['rows'][number]): Markup {
  return markup`<tr><td class="wide" data-title="Input">${valueText(input)}</td>
<td class="wide" data-title="Expected">${valueText(expected)}</td>
<td class="wide" data-title="Answer">${result === 'abstained' ? markup`<span class="quiet">–</span>` : valueText(got)}</td>
<td data-title="Result">${RESULTS[result]}</td></tr>
`
}

function tryItOf({ content }: SharedView, { url, runs_left: left }: NonNullable<SharedView['try_it']>): Markup {
  if (left <= 0) {
    return markup`<h2>Try it</h2>
<p class="notice">All runs of this link are used. Ask the person who sent you the link for a new one.</p>`
  }
  const first = content?.rows.find(({ result }) => result === 'right')?.input
  const isJson = first === undefined ? (content?.input?.kinds[0] ?? 'text') !== 'text' : typeof first !== 'string'
  const example = first === undefined ? '' : typeof first === 'string' ? first : JSON.stringify(first, null, 2)
  const path = new URL(url).pathname
  return markup`<h2 id="try">Try it</h2>
<form class="card large" data-run="${path}" aria-labelledby="try" hidden>
<div class="field"><label for="input">Input</label><textarea id="input" name="input" rows="3" class="code" spellcheck="false" maxlength="20000" required>${`\n${example}`}</textarea></div>
<div class="field"><label for="form">Read it as</label><select id="form" name="form" aria-describedby="form-hint"><option value="text"${isJson ? '' : markup` selected`}>Text</option><option value="json"${isJson && markup` selected`}>JSON</option></select><p class="quiet" id="form-hint">JSON for numbers, lists and objects.</p></div>
<div class="buttons"><button type="submit" class="primary">Run</button></div>
<p class="quiet" data-left>${formatCount(left, 'run')} of this link left. Its owner pays for them, and does not see your input.</p>
<div aria-live="polite" data-answer></div>
</form>
<noscript><p class="notice">Running it needs JavaScript. Everything else on this page works without.</p></noscript>`
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
