import { z } from 'zod'
import { MeasuredFigure } from '../../../core/kernel/wire/figure.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import { changedRows, inside, rowsOfDocument } from './changes.ts'
import { documentOf, forge, rescore, type Change, type Members } from './forge.ts'

/** A forgery of one quality figure, fold, answer or check, brought in line with all documents. */
export interface EvidenceForgery {
  readonly name: string
  /** Null where the archive has nothing of that sort to forge. */
  readonly forge: (members: Members, pick: number) => Promise<Uint8Array | null>
}

const Scored = z.object({ n: z.number(), correct: z.number(), abstained: z.number() })

const Envelope = z.object({ size_bytes: z.union([z.number(), MeasuredFigure]) })

/** The K-score that an `evals.json` gives with the latency and size that a build states. */
function scoreOf(build: JsonObject, evals: JsonObject): JsonObject {
  const { n, correct, abstained } = Scored.parse(evals)
  const { size_bytes: size } = Envelope.parse(build['k_score_envelope'])
  const envelope = rescore(
    build['k_score_envelope'],
    { coverage: (n - abstained) / n, n, correct },
    { sizeBytes: typeof size === 'number' ? size : size.value, floor: Number(build['k_score_floor']) },
  )
  const composite = envelope?.['composite']
  const score = isJsonObject(composite) ? (composite['value'] ?? 0) : (composite ?? 0)
  return { ...build, k_score: score, k_score_envelope: envelope }
}

/** Forges evals.json, and everything that a reader can derive from it, K included. */
async function forgeRows(members: Members, change: Change): Promise<Uint8Array> {
  const evals = countAgain(change(documentOf(members, 'evals.json')))
  return await forge(members, {
    changes: { 'evals.json': () => evals, 'build.json': (build) => scoreOf(build, evals) },
    isThorough: true,
  })
}

function countAgain(evals: JsonObject): JsonObject {
  const rows = rowsOfDocument(evals)
  return {
    ...evals,
    correct: rows.filter((row) => row['correct'] === true).length,
    abstained: rows.filter((row) => row['abstained'] === true).length,
  }
}

function findRow(members: Members, pick: number, isFit: (row: JsonObject) => boolean): number {
  const rows = rowsOfDocument(documentOf(members, 'evals.json'))
  const places = rows.flatMap((row, place) => (isFit(row) ? [place] : []))
  return places[pick % Math.max(1, places.length)] ?? -1
}

async function forgeRow(
  members: Members,
  pick: number,
  isFit: (row: JsonObject) => boolean,
  change: Change,
): Promise<Uint8Array | null> {
  const at = findRow(members, pick, isFit)
  if (at < 0) return null
  return await forgeRows(
    members,
    changedRows((row, place) => (place === at ? change(row) : row)),
  )
}

const right = (row: JsonObject): JsonObject => ({
  ...row,
  output: row['expected'] ?? null,
  abstained: false,
  correct: true,
})
const other = (value: Json | undefined): Json =>
  typeof value === 'number'
    ? value + 1
    : typeof value === 'string'
      ? `${value}x`
      : typeof value === 'boolean'
        ? !value
        : 'x'

/** Changes a figure of the verdict on one sample that has it measured. */
function sampleForgery(figure: string): EvidenceForgery['forge'] {
  return async (members, pick) => {
    const { samples } = documentOf(members, 'build.json')
    const list: readonly Json[] = Array.isArray(samples) ? samples : []
    const measuredIn = (sample: Json) => {
      const verdict = isJsonObject(sample) ? sample['verdict'] : undefined
      return MeasuredFigure.safeParse(isJsonObject(verdict) ? verdict[figure] : undefined).data
    }
    const fit = list.flatMap((sample, place) => (measuredIn(sample) === undefined ? [] : [place]))
    const at = fit[pick % Math.max(1, fit.length)]
    if (at === undefined) return null
    const changed = list.map((sample, place) => {
      const found = measuredIn(sample)
      if (place !== at || found === undefined || !isJsonObject(sample)) return sample
      const { n, value } = found
      return inside('verdict', (verdict) => ({ ...verdict, [figure]: { ...found, value: value === n ? n - 1 : n } }))(
        sample,
      )
    })
    return await forge(members, {
      changes: { 'build.json': (build) => ({ ...build, samples: changed }) },
      isThorough: true,
    })
  }
}

/** Changes a group of figures of verifier.json. */
function verifierForgery(name: string, change: (figures: JsonObject) => JsonObject | null): EvidenceForgery['forge'] {
  return async (members) => {
    const figures = documentOf(members, 'verifier.json')[name]
    const changed = isJsonObject(figures) ? change(figures) : null
    if (changed === null) return null
    return await forge(members, {
      changes: { 'verifier.json': (document) => ({ ...document, [name]: changed }) },
      isThorough: true,
    })
  }
}

/** Forgeries that a reader of the documents alone cannot tell from a genuine archive, beside some that it can. */
export const EVIDENCE_FORGERIES: readonly EvidenceForgery[] = [
  {
    name: 'a wrong answer made right',
    forge: async (members, pick) => await forgeRow(members, pick, (row) => row['correct'] === false, right),
  },
  {
    name: 'a right answer made wrong',
    forge: async (members, pick) =>
      await forgeRow(
        members,
        pick,
        (row) => row['correct'] === true,
        (row) => ({ ...row, output: other(row['output']), correct: false }),
      ),
  },
  {
    name: 'answer and expected output of a row',
    forge: async (members, pick) =>
      await forgeRow(
        members,
        pick,
        (row) => row['correct'] === true,
        (row) => ({ ...row, output: other(row['output']), expected: other(row['output']) }),
      ),
  },
  {
    name: 'a confidence',
    forge: async (members, pick) =>
      await forgeRow(
        members,
        pick,
        (row) => typeof row['confidence'] === 'number',
        (row) => ({ ...row, confidence: row['confidence'] === 0.5 ? 0.75 : 0.5 }),
      ),
  },
  {
    name: 'a fold',
    forge: async (members, pick) =>
      await forgeRow(
        members,
        pick,
        (row) => typeof row['fold'] === 'number',
        (row) => ({ ...row, fold: row['fold'] === 0 ? 1 : 0 }),
      ),
  },
  {
    name: 'the composite',
    forge: async (members) =>
      await forge(members, {
        changes: {
          'build.json': (build) =>
            inside(
              'k_score_envelope',
              inside('composite', (figure) => ({ ...figure, value: 0.99 })),
            )({ ...build, k_score: 0.99 }),
        },
        isThorough: true,
      }),
  },
  {
    name: 'the soundness',
    forge: verifierForgery('soundness', (figures) => {
      const mutants = Number(figures['mutants'])
      if (mutants === 0) return null
      const accepted = figures['accepted'] === 0 ? 1 : 0
      return { mutants, accepted, false_accept_rate: Number((accepted / mutants).toFixed(4)) }
    }),
  },
  {
    name: 'the completeness',
    forge: verifierForgery('completeness', (figures) => {
      const passed = Number(figures['passed'])
      const rows = Number(figures['rows'])
      return rows === 0 ? null : { ...figures, passed: passed === rows ? rows - 1 : rows }
    }),
  },
  {
    name: 'what the abstention withheld',
    forge: verifierForgery('abstention', (figures) => ({
      ...figures,
      predictions: Number(figures['predictions']) + 9,
    })),
  },
  { name: 'rows that a candidate fits', forge: sampleForgery('fitted_right') },
  { name: 'rows that a candidate was held back from', forge: sampleForgery('held_back_right') },
  { name: 'rows that the checks accept', forge: sampleForgery('verified_passed') },
  {
    name: 'the steps of the search',
    forge: async (members) =>
      await forge(members, {
        changes: {
          'build.json': (build) => ({
            ...build,
            stages: (Array.isArray(build['stages']) ? build['stages'] : []).map((stage: Json): Json =>
              isJsonObject(stage) && stage['stage'] === 'k-sample'
                ? { ...stage, search_steps: Number(stage['search_steps']) + 1 }
                : stage,
            ),
          }),
        },
        isThorough: true,
      }),
  },
]

/** An archive of folds that is called one of earlier versions, which made each row its own fold. */
export async function forgeEarlier(members: Members): Promise<Uint8Array> {
  const earlier: Change = ({ mode: _mode, ...document }) => ({
    ...changedRows(({ fold: _fold, confidence: _confidence, ...row }) => row)(document),
    spec: 'svc-evals-1',
    split: 'leave_one_out',
  })
  const seeds: Change = ({ spec: _spec, fold_rule: _rule, fold_sizes: _sizes, ...rest }) => ({
    ...rest,
    split_mode: 'leave_one_out',
    holdout_ratio: 0.2,
    synthetic_count: 0,
    production_ready: false,
  })
  return await forge(members, {
    changes: { 'evals.json': earlier, 'build.json': inside('seed_provenance', seeds) },
    isThorough: true,
  })
}

/** An archive of folds whose rows from `from` on are called test rows. */
export async function forgeTestRows(members: Members): Promise<Uint8Array> {
  const evals: Change = (document) => ({
    ...changedRows((row) => ({ ...row, fold: null }))(document),
    mode: 'test_rows',
  })
  const seeds: Change = (facts) => ({
    ...facts,
    split_mode: 'test_rows',
    split_seed: null,
    stratified_by: null,
    fold_rule: null,
    fold_sizes: null,
    train_hash: `sha256:${'a'.repeat(64)}`,
    synthesis_input_hash: `sha256:${'a'.repeat(64)}`,
    train_count: 90,
    source_seed_count: 90 + Number(facts['holdout_count']),
    approved_count: 90 + Number(facts['holdout_count']),
    production_ready: Number(facts['holdout_count']) >= 10,
  })
  return await forge(members, {
    changes: {
      'evals.json': evals,
      'build.json': inside('seed_provenance', seeds),
      'verifier.json': inside('completeness', (figures) => ({ ...figures, rows: 90 })),
    },
    isThorough: true,
  })
}
