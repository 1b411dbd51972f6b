import type { Passage, PassageBlock } from './passage.ts'
import type { FoundPassage, SearchIndex } from './search-index.ts'
import { wordsOf } from './words.ts'

/** An answer made of sentences of the documentation. */
export interface ExtractedAnswer {
  /** Markdown; `[1]` names the first passage. */
  readonly text: string
  /** The passages that it was taken from, and no others. */
  readonly passages: readonly Passage[]
}

/** Share of the question that a passage holds before it counts as an answer. */
const ANSWERS_FROM = 0.5
/** Passages with at least this share of the best score belong to the answer. */
const NEAR_BEST = 0.7
const MOST_PASSAGES = 3
const MOST_SENTENCES = 3
const MOST_LINES = 4

/**
 * Returns the passages for a question, best first; none when no passage holds the share `from` of it. A question of one word
 * is answered by what is about it, not by what mentions it.
 */
export function passagesFor(
  index: SearchIndex,
  question: string,
  most: number,
  from = ANSWERS_FROM,
): readonly FoundPassage[] {
  const found = index.search(question, most)
  const isOneWord = new Set(wordsOf(question)).size === 1
  const answers = found.some(
    ({ coverage, passage: { title, heading } }) =>
      coverage >= from && (!isOneWord || index.weigh(question, `${title} ${heading}`) > 0),
  )
  return answers ? found.filter(({ coverage }) => coverage >= from / 2) : []
}

/** Answers a question by sentences of passages that were found for it; null when they hold no answer. */
export function extractAnswer(
  index: SearchIndex,
  question: string,
  candidates: readonly FoundPassage[],
): ExtractedAnswer | null {
  const found = candidates.filter(({ coverage }) => coverage >= ANSWERS_FROM)
  const best = Math.max(0, ...found.map(({ score }) => score))
  const parts = found
    .filter(({ score }) => score >= best * NEAR_BEST)
    .slice(0, MOST_PASSAGES)
    .map(({ passage }) => ({ passage, text: excerptOf(index, question, passage) }))
    .filter(({ text }) => text !== '')
  if (parts.length === 0) return null
  return {
    text: parts.map(({ text }, at) => `${text} [${at + 1}]`).join('\n\n'),
    passages: parts.map(({ passage }) => passage),
  }
}

/** The sentences and rows of a passage that say most about the question, in their order, and commands that do. */
function excerptOf(index: SearchIndex, question: string, { blocks }: Passage): string {
  const pieces = blocks
    .flatMap(({ kind, text }) => piecesOf(kind, text).map((piece) => ({ kind, piece: piece.trim() })))
    .filter(({ piece }) => piece !== '')
    .map((each, at) => ({ ...each, at, weight: index.weigh(question, each.piece) }))
  const best = Math.max(0, ...pieces.map(({ weight }) => weight))
  const strongest = (isWanted: (kind: PassageBlock['kind']) => boolean, most: number) =>
    pieces
      .filter(({ kind, weight }) => isWanted(kind) && weight > 0 && weight >= best / 2)
      .toSorted((a, b) => b.weight - a.weight || a.at - b.at)
      .slice(0, most)
      .toSorted((a, b) => a.at - b.at)
  const said = strongest((kind) => kind !== 'code', MOST_SENTENCES)
  const code = strongest((kind) => kind === 'code', MOST_LINES).map(({ piece }) => piece)
  // A heading alone may match: then the passage speaks by its beginning.
  const shown = said.length + code.length > 0 ? said : pieces.filter(({ kind }) => kind === 'prose').slice(0, 2)
  const lines = shown.map(({ kind, piece }) => (kind === 'row' ? `\n- ${piece}\n` : `${piece} `)).join('')
  const text = lines.replaceAll('\n\n', '\n').trim()
  return [text, code.length === 0 ? '' : `\`\`\`sh\n${code.join('\n')}\n\`\`\``]
    .filter((part) => part !== '')
    .join('\n\n')
}

function piecesOf(kind: PassageBlock['kind'], text: string): readonly string[] {
  if (kind === 'code') return text.split('\n')
  const line = text.replaceAll(/\s+/g, ' ')
  return kind === 'row' ? [line] : line.split(/(?<=[.!?])\s+(?=[\p{Lu}`"(\d])/u)
}
