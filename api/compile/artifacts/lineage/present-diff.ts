import {
  ALPHA,
  measuredAxis,
  pairedAxis,
  recommend,
  type ComparedAxis,
  type Recommendation,
} from '../../../../core/compile/artifacts/diff/axes.ts'
import type {
  ComparedArchives,
  ComparedRuns,
  FlippedRow,
} from '../../../../core/compile/artifacts/diff/compare-archives.ts'
import { countPairs, pairRows, type PairedCounts } from '../../../../core/compile/artifacts/diff/pair-rows.ts'
import type { Disagreement, RunAnswer } from '../../../../core/compile/artifacts/diff/run-both.ts'
import type { RowContent } from '../../../../core/compile/artifacts/diagnosis/judged-row.ts'
import type { RowResultRecord } from '../../../../core/compile/artifacts/diagnosis/row-result.ts'
import type { DiffAnswer } from '../../../../core/compile/wire/artifacts/diff.ts'
import { figuresOf } from '../../../../core/compile/wire/jobs/figures.ts'
import { canonicalJson, isJsonObject } from '../../../../core/kernel/json/json.ts'
import { valueOf } from '../../../../core/kernel/wire/figure.ts'
import type { Artifact } from '../../../../db/compile/artifacts/artifact.ts'

/** One of the two artifacts. */
interface Side {
  readonly artifact: Artifact
  readonly records: readonly RowResultRecord[]
  readonly parentCid: string | null
}

/** The result of a comparison. */
interface Found {
  readonly a: Side
  readonly b: Side
  readonly relation: DiffAnswer['lineage_relation']
  /** Null where an archive may not be read. */
  readonly content: ComparedArchives | null
  readonly runs: ComparedRuns | null
  /** Machine code of why the artifacts were not run. */
  readonly why: string | null
}

/** Presents a comparison. */
export function presentDiff({ a, b, relation, content, runs, why }: Found): DiffAnswer {
  const pairs = pairRows(a.records, b.records)
  const right = countPairs(pairs, ({ right }) => right)
  const axes = [
    pairedAxis('accuracy', right),
    pairedAxis(
      'coverage',
      countPairs(pairs, ({ result }) => result === 'right' || result === 'wrong'),
    ),
    ...measuredAxes(a.artifact, b.artifact),
  ]
  const isComparable = tolerancesText(a.artifact) === tolerancesText(b.artifact)
  const recommendation = isComparable ? recommend(right) : 'inconclusive'
  const members = membersOf(a.artifact, b.artifact)
  return {
    a: presentSide(a),
    b: presentSide(b),
    lineage_relation: relation,
    members,
    recipes: content === null ? null : presentRecipes(content, members),
    performance: {
      ok: pairs.length > 0,
      axes: axes.map(presentAxis),
      deltas: Object.fromEntries(
        axes.flatMap((each) => {
          const delta = deltaOf(each)
          return delta === null ? [] : [[each.axis, delta]]
        }),
      ),
      axes_compared: axes.filter(({ change }) => change !== 'not_measured').map(({ axis }) => axis),
      paired: {
        test: 'mcnemar_exact',
        alpha: ALPHA,
        rows: right.rows,
        rows_a: a.records.length,
        rows_b: b.records.length,
        both_right: right.both,
        both_wrong: right.neither,
        lost: right.lost,
        won: right.won,
        p_value: right.pValue,
      },
      regression_summary: axes.filter(({ change }) => change === 'worse').map(({ axis }) => axis),
      recommendation,
    },
    recommendation,
    reason: isComparable ? reasonOf(right, recommendation) : OTHER_TOLERANCES,
    roll_back_hint: recommendation === 'roll_back' ? hintOf(a.artifact, b.artifact) : null,
    flipped: content?.flipped.map(presentFlip) ?? [],
    runs: {
      why,
      inputs: content?.inputs ?? 0,
      ran: runs?.ran ?? 0,
      differing: runs?.differing ?? 0,
      rows: runs?.rows.map(presentDiffering) ?? [],
    },
  }
}

function presentSide({ artifact, parentCid }: Side): DiffAnswer['a'] {
  return {
    cid: artifact.cid,
    parent_cid: parentCid,
    artifact_id: artifact.id,
    version_id: artifact.versionId,
    name: artifact.name,
    state: artifact.state,
    recipe_kind: artifact.recipeKind,
    k_score: artifact.kScore,
    created_at: artifact.createdAt.toISOString(),
  }
}

function measuredAxes(a: Artifact, b: Artifact): readonly ComparedAxis[] {
  const [figuresA, figuresB] = [a, b].map(({ evaluation }) =>
    figuresOf(isJsonObject(evaluation) ? evaluation['k_score_envelope'] : undefined),
  )
  const measured = (axis: 'p50_latency_us' | 'cost_usd_per_call'): ComparedAxis => {
    const [one, other] = [figuresA?.[axis], figuresB?.[axis]]
    return measuredAxis(axis, one === undefined ? null : valueOf(one), other === undefined ? null : valueOf(other))
  }
  return [
    measuredAxis('k_score', a.kScore, b.kScore),
    measured('p50_latency_us'),
    measured('cost_usd_per_call'),
    measuredAxis('size_bytes', a.sizeBytes, b.sizeBytes),
  ]
}

function presentAxis(each: ComparedAxis): DiffAnswer['performance']['axes'][number] {
  const { axis, direction, a, b, change, pValue, n } = each
  return { axis, direction, a, b, delta: deltaOf(each), change, p_value: pValue, n }
}

function deltaOf({ a, b }: ComparedAxis): number | null {
  return a === null || b === null ? null : Number((b - a).toPrecision(12))
}

function membersOf({ manifest: a }: Artifact, { manifest: b }: Artifact): DiffAnswer['members'] {
  const [ofA, ofB] = [a['hashes'], b['hashes']].map((hashes) => (isJsonObject(hashes) ? hashes : {}))
  const names = [...new Set([...Object.keys(ofA ?? {}), ...Object.keys(ofB ?? {})])].toSorted()
  return names.map((name) => {
    const [one, other] = [ofA?.[name], ofB?.[name]].map((digest) => (typeof digest === 'string' ? digest : null))
    return { name, a: one ?? null, b: other ?? null, same: one === other }
  })
}

function presentRecipes({ recipes }: ComparedArchives, members: DiffAnswer['members']): DiffAnswer['recipes'] {
  return {
    same: members.every(({ name, same }) => same || !/^(?:recipes\.json|weights\.bin|leaf-.*|adapter_.*)$/.test(name)),
    a: { kind: recipes.a.kind, lines: [...recipes.a.lines] },
    b: { kind: recipes.b.kind, lines: [...recipes.b.lines] },
    programs: recipes.programs.map((program) => ({ ...program })),
    labels: recipes.labels.map(({ place, onlyA, onlyB, shared }) => ({
      place,
      only_a: [...onlyA],
      only_b: [...onlyB],
      shared,
    })),
    hyperparameters: recipes.settings.map((setting) => ({ ...setting })),
  }
}

const OTHER_TOLERANCES =
  'Numbers of the two were judged by different tolerances, so their rows do not tell which one is better.'

/** The tolerances that an artifact was judged by, as text. */
function tolerancesText({ evaluation }: Artifact): string {
  const tolerances = isJsonObject(evaluation) ? evaluation['tolerances'] : undefined
  return canonicalJson(tolerances ?? [])
}

function reasonOf({ rows, lost, won, pValue }: PairedCounts, recommendation: Recommendation): string {
  if (rows === 0) return 'They were scored on no row in common, so nothing speaks for one of them.'
  const counts = `Of ${rows} rows that both were scored on, the second lost ${lost} and won ${won} (p = ${pValue.toPrecision(2)})`
  if (recommendation === 'inconclusive') return `${counts}: no more than chance explains.`
  return `${counts}: more than chance explains.`
}

function hintOf(a: Artifact, b: Artifact): string {
  return (
    `Move ${b.id} to superseded with ${a.id} as its successor, or to archived: the head of its concept then moves to the newest ` +
    'version in force. Revoke it only if it must not run at all.'
  )
}

function presentFlip({ flip, a, b, contentA, contentB }: FlippedRow): DiffAnswer['flipped'][number] {
  const content = contentB ?? contentA
  return {
    flip,
    ...(content !== null && { input: content.input, expected: content.expected }),
    a: presentScored(a, contentA),
    b: presentScored(b, contentB),
  }
}

function presentScored({ rowId, result, confidence }: RowResultRecord, content: RowContent | null) {
  return { row_id: rowId, result, confidence, ...(content?.got !== undefined && { got: content.got }) }
}

function presentDiffering({ input, a, b, rightA, rightB }: Disagreement): DiffAnswer['runs']['rows'][number] {
  return {
    row_a: input.rowA,
    row_b: input.rowB,
    input: input.input,
    ...(input.expected !== undefined && { expected: input.expected }),
    a: presentAnswer(a, rightA),
    b: presentAnswer(b, rightB),
  }
}

function presentAnswer({ output, abstained, confidence, error }: RunAnswer, right: boolean | null) {
  return { output, abstained, confidence, error, right }
}
