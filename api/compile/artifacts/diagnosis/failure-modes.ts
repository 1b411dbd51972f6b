import { z } from 'zod'
import { toJsonObject } from '../../../../core/compile/archive/members/members-json.ts'
import { CidField, DiagnoseBody, FailureModesAnswer } from '../../../../core/compile/wire/artifacts/diagnosis.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { findReport, putReport } from '../../../../db/compile/row-results/row-reports.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { defineRoute } from '../../services.ts'
import { findModes, findModesIn } from './find-modes.ts'
import { artifactOf, SourceField } from './row-sources.ts'

export const findFailureModesRoute = defineRoute({
  method: 'post',
  path: '/v1/failure-modes',
  operationId: 'findFailureModes',
  group: 'artifacts',
  summary: 'Find the failure modes of an artifact',
  description:
    "Searches the rows that the artifact was scored on for slices that fail more often than the others, named by what a person sees (form, length, language, unit, number, missing member, label), tested by Fisher's exact test and adjusted for all tests made; for ways in which answers are wrong; and for clusters of what is left. On rows that fail at random it names none in 95 of 100 reports. The report is stored in place of the earlier one.",
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  stores: 'bounded',
  body: DiagnoseBody,
  fieldCodes: { artifact_cid: 'invalid_cid' },
  answers: { 200: envelope('The failure modes', FailureModesAnswer) },
  errors: ['invalid_cid', 'not_found', 'no_row_results', 'busy'],
}).handle(async ({ op, services, body }) => {
  const artifact = await artifactOf(op, body.artifact_cid)
  const { answer, rows } = await findModes(op, services, artifact)
  await putReport(
    op,
    { artifactId: artifact.id, cid: artifact.cid },
    {
      kind: 'failure_modes',
      report: toJsonObject(answer),
      rows,
    },
  )
  return { status: 200, body: answer }
})

export const getFailureModesRoute = defineRoute({
  method: 'get',
  path: '/v1/failure-modes/{cid}',
  operationId: 'getFailureModes',
  group: 'artifacts',
  summary: 'Show the stored failure modes of an artifact',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  description:
    'With `source=evaluation:<id>` the failure modes of the rows of that evaluation, found now and not stored.',
  params: z.object({ cid: CidField }),
  query: z.object({ source: SourceField }),
  fieldCodes: { cid: 'invalid_cid' },
  answers: { 200: envelope('As they were found last', FailureModesAnswer) },
  errors: ['invalid_cid', 'not_found', 'busy'],
}).handle(async ({ op, services, params: { cid }, query: { source } }) => {
  if (source.kind === 'evaluation') {
    return { status: 200, body: await findModesIn(op, services, await artifactOf(op, cid), source) }
  }
  const stored = await findReport(op, cid, 'failure_modes')
  if (stored !== null) return { status: 200, body: FailureModesAnswer.parse(stored.report) }
  await artifactOf(op, cid)
  throw KERNEL_ERRORS.not_found('no failure modes of this artifact are stored; POST /v1/failure-modes finds them')
})
