import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { inferEquality } from '../equality/infer-equality.ts'
import { groupEqual } from '../intake/census/contradictions.ts'
import type { PlacedExample } from './examples.ts'

const SHOWN = 20

/** Rows of a table that share an input. */
export interface RepeatedRows {
  readonly rows: number
  /** Inputs that differ. */
  readonly inputs: number
  /** Rows that repeat an earlier one. */
  readonly duplicates: { readonly count: number; readonly lines: readonly number[] }
  /** Inputs with several answers, the first of them with their lines. */
  readonly contradictions: {
    readonly count: number
    readonly shown: readonly {
      readonly input: Json
      readonly answers: readonly { readonly line: number; readonly output: Json }[]
    }[]
  }
  readonly examples: readonly { readonly input: Json; readonly output: Json }[]
  /** Rows without an answer that are taken as such. */
  readonly unlabelled: number
}

interface Vote {
  readonly line: number
  readonly output: Json
}

interface SameInput {
  readonly input: Json
  readonly votes: Map<string, Vote>
}

/** Counts rows, duplicates and contradictions of examples, which stay in memory: for files of bounded size. */
export async function countRepeats(examples: AsyncIterable<PlacedExample>, samples: number): Promise<RepeatedRows> {
  const inputs = new Map<string, SameInput>()
  const shown: { input: Json; output: Json }[] = []
  const lines: number[] = []
  let rows = 0
  let duplicates = 0
  let unlabelled = 0
  for await (const { line, example } of examples) {
    if (example.kind === 'unlabelled') unlabelled++
    if (example.kind !== 'positive') continue
    rows++
    const { input, output } = example.row
    if (shown.length < samples) shown.push({ input, output })
    const key = canonicalJson(input)
    const same = inputs.get(key) ?? { input, votes: new Map<string, Vote>() }
    inputs.set(key, same)
    const answer = canonicalJson(output)
    if (same.votes.has(answer)) {
      duplicates++
      if (lines.length < SHOWN) lines.push(line)
    } else same.votes.set(answer, { line, output })
  }
  const several = [...inputs.values()].filter(({ votes }) => votes.size > 1)
  const contradictions = contradictionsOf(several)
  return {
    rows,
    inputs: inputs.size,
    duplicates: { count: duplicates, lines },
    contradictions: { count: contradictions.length, shown: contradictions.slice(0, SHOWN) },
    examples: shown,
    unlabelled,
  }
}

function contradictionsOf(several: readonly SameInput[]) {
  const equality = inferEquality(several.flatMap(({ votes }) => [...votes.values()].map(({ output }) => output)))
  return several.flatMap(({ input, votes }) => {
    const answers = groupEqual([...votes.values()], equality).flatMap(([first]) => first ?? [])
    return answers.length > 1 ? [{ input, answers }] : []
  })
}
