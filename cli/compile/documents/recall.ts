import type { z } from 'zod'
import { RecallAnswer } from '../../../core/compile/wire/documents/recall.ts'
import type { CliContext } from '../../context.ts'
import { paint } from '../../terminal/output.ts'
import { plainText } from '../../terminal/table.ts'

/** Options of `svc recall`. */
export interface RecallFlags {
  readonly namespace: string
  readonly k: number
}

type Answer = z.input<typeof RecallAnswer>

/** Characters of a part that the terminal shows. */
const SHOWN = 400

/** `svc recall`. */
export async function recall(context: CliContext, question: string, { namespace, k }: RecallFlags): Promise<void> {
  const client = await context.client()
  const json = { namespace, query: question, k }
  const answer = await client.call('/v1/recall', RecallAnswer, { method: 'POST', json })
  context.output.result(answer, () => describe(answer))
}

function describe(answer: Answer): string {
  const { chunks, indexed, namespace } = answer
  if (indexed.chunks === 0) return `${namespace} has no documents: svc embed -n ${namespace} FILES indexes some`
  const parts = chunks.map((chunk, at) =>
    [
      paint('bold', `${at + 1}. ${plainText(chunk.path)}, part ${chunk.seq + 1}`),
      paint('dim', rankOf(chunk)),
      plainText(chunk.snippet.replaceAll(/\s+/g, ' ')).slice(0, SHOWN),
      '',
    ].join('\n'),
  )
  const found = chunks.length === 0 ? ['no part has a word of the question', ''] : parts
  return [...found, howFound(answer)].join('\n')
}

function rankOf({ lexical, vector, score }: Answer['chunks'][number]): string {
  const words = lexical === null ? [] : [`words ${lexical.rank}. (${lexical.score.toFixed(2)})`]
  const vectors = vector === null ? [] : [`vectors ${vector.rank}. (${vector.similarity.toFixed(3)})`]
  return [...words, ...vectors, `score ${score.toFixed(4)}`].join(', ')
}

function howFound({ indexed, retrieval: { vectors, terms, note } }: Answer): string {
  const words = `by words (${terms.join(', ')})`
  const how = vectors === null ? words : `${words} and vectors of ${vectors.model}, ${vectors.search.replace('_', ' ')}`
  return `searched ${indexed.chunks} parts of ${indexed.documents} documents ${how}${note === null ? '' : `\n${note}`}`
}
