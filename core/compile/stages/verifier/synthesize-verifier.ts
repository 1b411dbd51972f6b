import { canonicalJson, hashJson, type Json } from '../../../kernel/json/json.ts'
import type { NegativeExample } from '../../rows/intake/example.ts'
import type { Row } from '../../task.ts'
import { failedChecks } from './check-output.ts'
import { generateChecks, withoutIdle } from './generate-checks.ts'
import { findMetamorphic } from './metamorphic.ts'
import { mutateOutput } from './mutate-output.ts'
import { inferOutputType } from './output-type.ts'
import type { Abstention, Check, Verifier } from './verifier-types.ts'

/** Rows that checks are generated from at most. */
const MAX_ROWS = 2000
const MAX_MUTATED_ROWS = 100
const OTHER_ANSWERS = 4
/** Share of right answers, unseen while a check was generated, that it may refuse and still be kept. */
const REFUSAL_ALLOWED = 0.02

/** Deals rows into two halves, alike outputs evenly. */
function deal(rows: readonly Row[]): readonly [readonly Row[], readonly Row[]] {
  const ordered = rows
    .map((row) => ({ row, key: `${canonicalJson(row.output)}\n${canonicalJson(row.input)}` }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const side = (which: number): readonly Row[] => ordered.filter((_, i) => i % 2 === which).map(({ row }) => row)
  return [side(0), side(1)]
}

/**
 * Ids of checks that refuse right answers: each half of the rows is judged by the checks that the other half
 * generates, so that a check which only describes the rows at hand is found out.
 */
function findOverfitted(rows: readonly Row[]): {
  refusals: Map<string, number>
  failures: readonly (readonly string[])[]
} {
  const [left, right] = deal(rows)
  const refusals = new Map<string, number>()
  const failures: (readonly string[])[] = []
  for (const [seen, unseen] of [
    [left, right],
    [right, left],
  ] as const) {
    if (seen.length === 0) continue
    const checks = generateChecks(seen)
    for (const { input, output } of unseen) {
      const failed = failedChecks(checks, input, output)
      failures.push(failed)
      for (const id of failed) refusals.set(id, (refusals.get(id) ?? 0) + 1)
    }
  }
  return { refusals, failures }
}

function negativeCheck(negatives: readonly NegativeExample[]): readonly Check[] {
  if (negatives.length === 0) return []
  const pairs = negatives.map(({ input, notOutput }) => ({ input: hashJson(input), output: hashJson(notOutput) }))
  return [{ id: 'not_output:.', kind: 'not_output', path: [], pairs }]
}

/** Counts the wrong answers, made from right ones, that the checks let pass. */
function measureSoundness(checks: readonly Check[], rows: readonly Row[]): Verifier['soundness'] {
  let mutants = 0
  let accepted = 0
  const outputs: readonly Json[] = rows.map(({ output }) => output)
  rows.slice(0, MAX_MUTATED_ROWS).forEach(({ input, output }, i) => {
    const others = Array.from({ length: Math.min(OTHER_ANSWERS, outputs.length) }, (_, step) => {
      return outputs[(i + 1 + step * 7) % outputs.length] ?? null
    })
    for (const wrong of mutateOutput(output, others)) {
      mutants++
      if (failedChecks(checks, input, wrong).length === 0) accepted++
    }
  })
  return { mutants, accepted, false_accept_rate: mutants === 0 ? 0 : Number((accepted / mutants).toFixed(4)) }
}

/**
 * Synthesises a verifier from the train rows alone. Checks that refuse right answers of rows they were not made from
 * are dropped and named. Deterministic; the same rows give the same hash.
 */
export function synthesizeVerifier(
  trainRows: readonly Row[],
  options: { readonly negatives?: readonly NegativeExample[]; readonly abstention?: Abstention | null } = {},
): Verifier {
  const rows = trainRows.slice(0, MAX_ROWS)
  const generated = generateChecks(rows)
  const { refusals, failures } = findOverfitted(rows)
  const allowed = rows.length * REFUSAL_ALLOWED
  const isKept = (id: string): boolean => (refusals.get(id) ?? 0) <= allowed
  const sound = withoutIdle(
    generated.filter(({ id }) => isKept(id)),
    rows,
  )
  const checks = [...sound, ...negativeCheck(options.negatives ?? [])]
  const kept = new Set(checks.map(({ id }) => id))
  const output = inferOutputType(trainRows)
  const body = {
    spec: 'svc-verifier-1' as const,
    output,
    checks,
    metamorphic: findMetamorphic(rows, output),
    soundness: measureSoundness(checks, rows),
    completeness: {
      rows: failures.length,
      passed: failures.filter((failed) => !failed.some((id) => kept.has(id))).length,
      dropped: generated.filter(({ id }) => !isKept(id)).map(({ id }) => id),
    },
    abstention: options.abstention ?? null,
  }
  return withHash(body)
}

/** Returns the verifier with the abstention of the recipe that ships. */
export function withAbstention({ hash: _hash, ...body }: Verifier, abstention: Abstention): Verifier {
  return withHash({ ...body, abstention })
}

function withHash(body: Omit<Verifier, 'hash'>): Verifier {
  const plain: Json = JSON.parse(JSON.stringify(body))
  return { ...body, hash: hashJson(plain) }
}
