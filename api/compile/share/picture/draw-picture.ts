import { formatScore } from '../../../../core/compile/wire/facts/numbers.ts'
import type { SharedView } from '../../../../core/compile/wire/share/open.ts'
import { markup, type Part } from '../../../../core/kernel/wire/markup.ts'
import { kindOf } from '../page/words.ts'
import { PICTURE_HEIGHT, PICTURE_WIDTH } from './picture-size.ts'
import { wrapText } from './wrap-text.ts'

/** Facts in the picture of a link; its page shows the same. */
export type Pictured = Pick<SharedView, 'kind' | 'name' | 'recipe_kind' | 'k_score' | 'k_interval' | 'in_words'>

const MARGIN = 80
const NAME_SIZE = 58
const NAME_LINES = 3
const BAR_WIDTH = PICTURE_WIDTH - 2 * MARGIN

/** Scripts of the font; a name in another one would be a row of empty boxes. */
const WRITABLE =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Common}\p{Script=Inherited}]*$/u

/** Draws the picture of a link as SVG: name, kind, and K with its interval. */
export function drawPicture(view: Pictured): string {
  const { k_score: score, k_interval: interval } = view
  const lines = wrapText(nameOf(view), BAR_WIDTH / NAME_SIZE, NAME_LINES)
  const at = (share: number): number => MARGIN + Math.min(Math.max(share, 0), 1) * BAR_WIDTH
  const range: Part =
    interval &&
    markup`<rect x="${at(interval.low)}" y="522" width="${Math.max(at(interval.high) - at(interval.low), 6)}" height="24" rx="6" fill="#8cc7bc"/>`
  const interval95: Part =
    interval &&
    markup`<text x="${MARGIN + 330}" y="486" font-size="30" fill="#56615d">95% interval ${formatScore(interval.low)} to ${formatScore(interval.high)}</text>`
  return markup`<svg xmlns="http://www.w3.org/2000/svg" width="${PICTURE_WIDTH}" height="${PICTURE_HEIGHT}" viewBox="0 0 ${PICTURE_WIDTH} ${PICTURE_HEIGHT}" font-family="DejaVu Sans">
<rect width="100%" height="100%" fill="#f6f6f3"/>
<rect width="100%" height="12" fill="#0b6b5d"/>
<g transform="translate(${MARGIN} 60) scale(1.5)"><rect width="32" height="32" rx="7" fill="#0b6b5d"/><path d="M8 10.5h10M8 16h16M8 21.5h7" stroke="#fff" stroke-width="3" stroke-linecap="round"/><circle cx="23" cy="10.5" r="2" fill="#8ff0dc"/><circle cx="20.5" cy="21.5" r="2" fill="#8ff0dc"/></g>
<text x="${MARGIN + 66}" y="96" font-size="32" font-weight="bold" fill="#17201d">svc</text>
<text x="${PICTURE_WIDTH - MARGIN}" y="96" font-size="28" fill="#56615d" text-anchor="end">${view.kind === 'artifact' ? 'Shared' : 'Report of a'} ${kindOf(view.recipe_kind)}</text>
${lines.map((line, i) => markup`<text x="${MARGIN}" y="${206 + i * 72}" font-size="${NAME_SIZE}" font-weight="bold" fill="#17201d">${line}</text>\n`)}<text x="${MARGIN}" y="486" font-size="72" font-weight="bold" fill="#0b6b5d">K ${formatScore(score)}</text>
${interval95}
<rect x="${MARGIN}" y="529" width="${BAR_WIDTH}" height="10" rx="5" fill="#d9dbd7"/>
${range}
<rect x="${Math.min(at(score), MARGIN + BAR_WIDTH - 6) - 3}" y="512" width="8" height="44" rx="4" fill="#17201d"/>
<text x="${MARGIN}" y="592" font-size="26" fill="#56615d">${accuracyOf(view)}</text>
</svg>`.toString()
}

function nameOf({ name, recipe_kind: kind }: Pictured): string {
  const shown = name.replaceAll(/\p{Emoji_Presentation}|\ufe0f/gu, '').trim()
  return shown !== '' && WRITABLE.test(shown) ? shown : `A shared ${kindOf(kind)}`
}

function accuracyOf({ in_words: words }: Pictured): string {
  return wrapText(words?.accuracy ?? '', BAR_WIDTH / 26, 1).join('')
}
