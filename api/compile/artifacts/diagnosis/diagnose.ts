import { z } from 'zod'
import { diagnose, type ArtifactScore, type Diagnosis } from '../../../../core/compile/artifacts/diagnosis/diagnose.ts'
import {
  sourceName,
  type ResultSource,
  type RowResultRecord,
} from '../../../../core/compile/artifacts/diagnosis/row-result.ts'
import { CidField, DiagnoseBody, DiagnosisAnswer } from '../../../../core/compile/wire/artifacts/diagnosis.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { findReport, putReport } from '../../../../db/compile/row-results/row-reports.ts'
import { toJsonObject } from '../../../../core/compile/archive/members/members-json.ts'
import type { Artifact } from '../../../../db/compile/artifacts/artifact.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { defineRoute } from '../../services.ts'
import { artifactOf, COMPILED, resultsIn, resultsOf, scoreOf, SourceField } from './row-sources.ts'

export const diagnoseRoute = defineRoute({
  method: 'post',
  path: '/v1/diagnose',
  operationId: 'diagnoseArtifact',
  group: 'artifacts',
  summary: 'Diagnose an artifact by the categories of its rows',
  description:
    'K-score, interval and worst rows of each category of the rows that the artifact was scored on, and what to do next. Reads the recorded results alone: scores in the request are ignored. The report is stored in place of the earlier one.',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  stores: 'bounded',
  body: DiagnoseBody,
  fieldCodes: { artifact_cid: 'invalid_cid' },
  answers: { 200: envelope('The diagnosis', DiagnosisAnswer) },
  errors: ['invalid_cid', 'not_found', 'no_row_results', 'busy'],
}).handle(async ({ op, services, body }) => {
  const artifact = await artifactOf(op, body.artifact_cid)
  const records = await resultsOf(op, services, artifact)
  const answer = diagnosisOf(artifact, records, { source: COMPILED, now: op.now() })
  await putReport(
    op,
    { artifactId: artifact.id, cid: artifact.cid },
    {
      kind: 'diagnosis',
      report: toJsonObject(answer),
      rows: records.length,
    },
  )
  return { status: 200, body: answer }
})

export const getDiagnosisRoute = defineRoute({
  method: 'get',
  path: '/v1/diagnose/{cid}',
  operationId: 'getDiagnosis',
  group: 'artifacts',
  summary: 'Show the stored diagnosis of an artifact',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  description: 'With `source=evaluation:<id>` the diagnosis of the rows of that evaluation, made now and not stored.',
  params: z.object({ cid: CidField }),
  query: z.object({ source: SourceField }),
  fieldCodes: { cid: 'invalid_cid' },
  answers: { 200: envelope('As it was made last', DiagnosisAnswer) },
  errors: ['invalid_cid', 'not_found'],
}).handle(async ({ op, params: { cid }, query: { source } }) => {
  if (source.kind === 'evaluation') {
    const artifact = await artifactOf(op, cid)
    const records = await resultsIn(op, artifact, source)
    return { status: 200, body: diagnosisOf(artifact, records, { source, now: op.now() }) }
  }
  const stored = await findReport(op, cid, 'diagnosis')
  if (stored !== null) return { status: 200, body: DiagnosisAnswer.parse(stored.report) }
  await artifactOf(op, cid)
  throw KERNEL_ERRORS.not_found('no diagnosis of this artifact is stored; POST /v1/diagnose makes one')
})

interface Made {
  readonly source: ResultSource
  readonly now: Date
}

function diagnosisOf(artifact: Artifact, records: readonly RowResultRecord[], made: Made): DiagnosisAnswer {
  const rows = records.map(({ rowId, right, category, confidence }) => ({ id: rowId, right, category, confidence }))
  const score = scoreOf(artifact)
  return presentDiagnosis(artifact, diagnose(rows, score), score, made)
}

function presentDiagnosis(
  artifact: Artifact,
  found: Diagnosis,
  { kPerAccuracy }: ArtifactScore,
  { source, now }: Made,
): DiagnosisAnswer {
  const scaled = (accuracy: number): number => Number(Math.min(1, accuracy * kPerAccuracy).toFixed(4))
  return {
    diagnostic_version: 'svc-diagnosis-1',
    artifact_cid: artifact.cid,
    artifact_id: artifact.id,
    source: sourceName(source),
    n: found.n,
    overall_k_score: found.kScore,
    per_category: found.categories.map(({ name, n, accuracy, kScore, interval, stddev, worstRows }) => ({
      name,
      n,
      accuracy,
      k_score: kScore,
      k_score_ci_lo: interval === null ? null : scaled(interval.low),
      k_score_ci_hi: interval === null ? null : scaled(interval.high),
      k_score_stddev: stddev,
      worst_sample_ids: [...worstRows],
    })),
    worst_categories: [...found.worstCategories],
    recommendations: found.recommendations.map(({ action, priority, reason, category, targetCount }) => ({
      action,
      priority,
      reason,
      ...(category === undefined ? {} : { category }),
      ...(targetCount === undefined ? {} : { target_count: targetCount }),
    })),
    generated_at: now.toISOString(),
  }
}
