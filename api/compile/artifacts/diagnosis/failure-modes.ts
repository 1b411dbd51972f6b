import { z } from 'zod'
import { toJsonObject } from '../../../../core/compile/archive/members/members-json.ts'
import { CidField, DiagnoseBody, FailureModesAnswer } from '../../../../core/compile/wire/artifacts/diagnosis.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { findReport, putReport } from '../../../../db/compile/row-results/row-reports.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { defineRoute } from '../../services.ts'
import { findModes } from './find-modes.ts'
import { artifactOf } from './row-sources.ts'

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
  params: z.object({ cid: CidField }),
  fieldCodes: { cid: 'invalid_cid' },
  answers: { 200: envelope('As they were found last', FailureModesAnswer) },
  errors: ['invalid_cid', 'not_found'],
}).handle(async ({ op, params: { cid } }) => {
  const stored = await findReport(op, cid, 'failure_modes')
  if (stored !== null) return { status: 200, body: FailureModesAnswer.parse(stored.report) }
  await artifactOf(op, cid)
  throw KERNEL_ERRORS.not_found('no failure modes of this artifact are stored; POST /v1/failure-modes finds them')
})
