import { hashJson, type Json } from '../../../kernel/json/json.ts'
import type { NegativeExample } from '../../rows/intake/example.ts'
import type { Row } from '../../rows/task.ts'
import type { OnDoubt } from '../../runtime/certificate/risk.ts'
import { failedChecks } from './check-output.ts'
import { crossCheck, dealFolds, findRefusing, type Folds } from './cross-check.ts'
import { generateChecks, withoutIdle } from './generate-checks.ts'
import { familiarFloors, generateInputChecks } from './input-checks.ts'
import { findMetamorphic } from './metamorphic.ts'
import { mutateOutput } from './mutate-output.ts'
import { inferOutputType } from './output-type.ts'
import { verifierFigures } from './verifier-figures.ts'
import type { Abstention, Check, InputProfile, Verifier } from './verifier-types.ts'

/** Rows that checks are generated from at most. */
const MAX_ROWS = 2000
const MAX_MUTATED_ROWS = 100
const OTHER_ANSWERS = 4
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

/** Options of a synthesis. */
interface SynthesisOptions {
  readonly negatives?: readonly NegativeExample[]
  readonly abstention?: Abstention | null
  /** Folds of the rows, as positions; rows are dealt into folds where there are none. */
  readonly folds?: Folds | null
  /** Leaves out the checks of inputs that name values of the rows, for an archive that holds digests. */
  readonly hidesInputs?: boolean
}

/** The checks that judge one answer and its input. */
export interface JudgingChecks {
  readonly checks: readonly Check[]
  readonly inputs: readonly Check[]
}

/** A verifier with the checks that judge rows in cross-fitting. */
export interface CrossFittedVerifier {
  readonly verifier: Verifier
  /** Returns the checks for the row at a position: of those that the verifier keeps, as rows outside of its fold give them. */
  readonly checksFor: (place: number) => JudgingChecks
}

/**
 * Synthesises a verifier from the train rows alone. Checks that refuse right answers of rows they were not made from
 * are dropped and named. Deterministic; the same rows give the same hash.
 */
export function synthesizeVerifier(trainRows: readonly Row[], options: SynthesisOptions = {}): Verifier {
  return crossFitVerifier(trainRows, options).verifier
}

/** Synthesises a verifier, and the checks of each fold's other rows. */
export function crossFitVerifier(trainRows: readonly Row[], options: SynthesisOptions = {}): CrossFittedVerifier {
  const rows = trainRows.slice(0, MAX_ROWS)
  const folds = options.folds?.map((fold) => fold.filter((place) => place < rows.length)) ?? dealFolds(rows)
  const forbidden = negativeCheck(options.negatives ?? [])
  const crossed = crossCheck(rows, folds, {
    generate: generateChecks,
    failedBy: (checks, { input, output }) => failedChecks(checks, input, output),
  })
  const refusing = findRefusing(crossed)
  const generated = generateChecks(rows)
  const sound = withoutIdle(
    generated.filter(({ id }) => !refusing.has(id)),
    rows,
  )
  const checks = [...sound, ...forbidden]
  const kept = new Set(sound.map(({ id }) => id))
  const profile = profileInputs(rows, folds, options.hidesInputs ?? false)
  const output = inferOutputType(trainRows)
  const verifier = withHash({
    spec: 'svc-verifier-2' as const,
    output,
    checks,
    metamorphic: findMetamorphic(rows, output),
    soundness: measureSoundness(checks, rows),
    completeness: {
      rows: crossed.failures.length,
      passed: crossed.failures.filter((failed) => !failed.some((id) => kept.has(id))).length,
      dropped: generated.filter(({ id }) => refusing.has(id)).map(({ id }) => id),
    },
    inputs: profile.inputs,
    on_doubt: 'answer',
    abstention: options.abstention ?? null,
  })
  const whole = { checks, inputs: profile.inputs.checks }
  const ofFold = folds.map((_, fold): JudgingChecks => ({
    checks: [...(crossed.ofFold[fold] ?? []).filter(({ id }) => kept.has(id)), ...forbidden],
    inputs: profile.ofFold[fold] ?? [],
  }))
  const foldOf = new Map(folds.flatMap((fold, number) => fold.map((place) => [place, number] as const)))
  return { verifier, checksFor: (place) => ofFold[foldOf.get(place) ?? -1] ?? whole }
}

/** Returns the checks of the inputs, and those of each fold's other rows. */
function profileInputs(
  rows: readonly Row[],
  folds: Folds,
  hidesInputs: boolean,
): { readonly inputs: InputProfile; readonly ofFold: readonly (readonly Check[])[] } {
  const floors = familiarFloors(rows, folds)
  const crossed = crossCheck(rows, folds, {
    generate: (seen) => generateInputChecks(seen, floors, hidesInputs),
    failedBy: (checks, { input }) => failedChecks(checks, input, input),
  })
  const refusing = findRefusing(crossed)
  const generated = generateInputChecks(rows, floors, hidesInputs)
  const checks = withoutIdle(
    generated.filter(({ id }) => !refusing.has(id)),
    rows,
  )
  const kept = new Set(checks.map(({ id }) => id))
  const alarms = crossed.failures.filter((failed) => failed.some((id) => kept.has(id))).length
  const count = crossed.failures.length
  return {
    inputs: {
      checks,
      rows: count,
      false_alarms: alarms,
      false_alarm_rate: count === 0 ? 0 : Number((alarms / count).toFixed(4)),
      dropped: generated.filter(({ id }) => refusing.has(id)).map(({ id }) => id),
    },
    ofFold: crossed.ofFold.map((of) => of.filter(({ id }) => kept.has(id))),
  }
}

/** Returns the verifier with the abstention of the recipe that ships. */
export function withAbstention({ hash: _hash, ...body }: Verifier, abstention: Abstention): Verifier {
  return withHash({ ...body, abstention })
}

/** Returns the verifier with the behaviour of a run in doubt. */
export function withDoubt({ hash: _hash, ...body }: Verifier, onDoubt: OnDoubt): Verifier {
  return withHash({ ...body, on_doubt: onDoubt })
}

function withHash(numbers: Omit<Verifier, 'hash'>): Verifier {
  const body = { ...numbers, figures: verifierFigures(numbers) }
  const plain: Json = JSON.parse(JSON.stringify(body))
  return { ...body, hash: hashJson(plain) }
}
