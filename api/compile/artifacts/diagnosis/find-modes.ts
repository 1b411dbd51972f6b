import { toJsonObject } from '../../../../core/compile/archive/members/members-json.ts'
import { conditionInWords } from '../../../../core/compile/artifacts/diagnosis/facts/condition.ts'
import type { ArtifactScore } from '../../../../core/compile/artifacts/diagnosis/diagnose.ts'
import type { FailureMode, FailureReport } from '../../../../core/compile/artifacts/diagnosis/failure-modes.ts'
import { sourceName, type ResultSource } from '../../../../core/compile/artifacts/diagnosis/row-result.ts'
import type { RowSources } from '../../../../core/compile/artifacts/diagnosis/thread/row-sources.ts'
import type { FoundModes } from '../../../../core/compile/artifacts/diagnosis/thread/diagnosis-task.ts'
import type { FailureModesAnswer } from '../../../../core/compile/wire/artifacts/diagnosis.ts'
import { hashJson } from '../../../../core/kernel/json/json.ts'
import type { Artifact } from '../../../../db/compile/artifacts/artifact.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import type { CompileServices } from '../../services.ts'
import { COMPILED, resultsIn, resultsOf, scoreOf, sourcesOf } from './row-sources.ts'

/** Modes that are named as the worst, and rows of a mode that are shown. */
const MOST_WORST = 5
const SHOWN_ROWS = 5

/** The failure modes of an artifact: found, as they are answered, and of how many results. */
export interface ArtifactModes {
  readonly found: FailureReport
  readonly score: ArtifactScore
  readonly answer: FailureModesAnswer
  readonly rows: number
}

/** Finds the failure modes of an artifact, beside the event loop. Throws `no_row_results` and `busy`. */
export async function findModes(
  op: Operation,
  services: Pick<CompileServices, 'diagnosis'>,
  artifact: Artifact,
): Promise<ArtifactModes> {
  const records = await resultsOf(op, services, artifact)
  const { archive, report } = await sourcesOf(op, artifact)
  return await modesOf(op, services, { artifact, source: COMPILED, rows: { records, archive, report } })
}

/** Finds the failure modes of an artifact in an evaluation of it. Throws `not_found` and `busy`. */
export async function findModesIn(
  op: Operation,
  services: Pick<CompileServices, 'diagnosis' | 'evaluatedRows'>,
  artifact: Artifact,
  source: Extract<ResultSource, { readonly kind: 'evaluation' }>,
): Promise<FailureModesAnswer> {
  const records = await resultsIn(op, artifact, source)
  const { archive } = await sourcesOf(op, artifact)
  const evaluated = await services.evaluatedRows.contents(op, source.id)
  const rows = { records, archive, report: null, evaluated }
  return (await modesOf(op, services, { artifact, source, rows })).answer
}

async function modesOf(
  op: Operation,
  { diagnosis }: Pick<CompileServices, 'diagnosis'>,
  { artifact, source, rows }: { readonly artifact: Artifact; readonly source: ResultSource; readonly rows: RowSources },
): Promise<ArtifactModes> {
  const modes = await diagnosis.modes(op.tenantId, rows)
  const score = scoreOf(artifact)
  const answer = presentModes(artifact, modes, { score, source, now: op.now() })
  return { found: modes.found, score, rows: rows.records.length, answer }
}

function presentModes(
  { id, cid }: Artifact,
  { found, contents }: FoundModes,
  { score, source, now }: { readonly score: ArtifactScore; readonly source: ResultSource; readonly now: Date },
): FailureModesAnswer {
  const clusters = found.modes.map((mode) => presentMode(mode, contents, score))
  const made = {
    artifact_cid: cid,
    artifact_id: id,
    source: sourceName(source),
    n: found.n,
    wrong: found.wrong,
    n_with_content: found.withContent,
    overall_k_score: score.kScore,
    clustering: 'subgroups, then HDBSCAN' as const,
    cluster_count: clusters.length,
    clusters,
    top_regressions: clusters
      .toSorted((a, b) => a.k_score - b.k_score)
      .slice(0, MOST_WORST)
      .map((one) => one.cluster_id),
    unexplained: found.unexplained,
    diagnostic_link: `/v1/diagnose/${cid}`,
  }
  return { ...made, report_sha256: hashJson(toJsonObject(made)), generated_at: now.toISOString() }
}

function presentMode(
  { id, kind, title, conditions, n, wrong, accuracy, interval, lift, p, pAdjusted, rowIds }: FailureMode,
  contents: FoundModes['contents'],
  { kScore, kPerAccuracy }: ArtifactScore,
): FailureModesAnswer['clusters'][number] {
  const scaled = (share: number): number => Number(Math.min(1, share * kPerAccuracy).toFixed(4))
  return {
    cluster_id: id,
    kind,
    title,
    conditions: conditions.map(conditionInWords),
    n,
    wrong,
    accuracy,
    k_score: scaled(accuracy),
    k_score_ci_lo: scaled(interval.low),
    k_score_ci_hi: scaled(interval.high),
    delta_vs_overall: Number((scaled(accuracy) - kScore).toFixed(4)),
    lift,
    p_value: p,
    p_adjusted: pAdjusted,
    sample_ids: [...rowIds],
    rows: rowIds.slice(0, SHOWN_ROWS).map((rowId) => ({ id: rowId, ...contents[rowId] })),
  }
}
