import { z } from 'zod'
import { chooseExport, EXPORT_PARTS, isWrittenTarget } from '../../../core/model/export/targets.ts'
import { createExport } from '../../../db/compile/exports/create-export.ts'
import type { ExportJob } from '../../../db/compile/exports/export-job.ts'
import { findExport } from '../../../db/compile/exports/find-export.ts'
import { listExports } from '../../../db/compile/exports/list-exports.ts'
import { openExportFile, recordExportDownload } from '../../../db/compile/exports/open-export-file.ts'
import { downloadBlob } from '../../kernel/reply/blob-download.ts'
import { envelope, rawAnswer } from '../../kernel/reply/answers.ts'
import { ExportId } from '../../../core/kernel/wire/ids.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import {
  CreateExportAnswer,
  CreateExportBody,
  type ExportView,
  GetExportAnswer,
  ListExportsAnswer,
  TARGETS,
} from '../../../core/compile/wire/exports/jobs.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { defineRoute } from '../services.ts'

function presentExport(job: ExportJob, now: Date): z.input<typeof ExportView> {
  const { resultHash, sizeBytes, fileName, mediaType } = job
  const isThere = typeof job.resultSha256 === 'string' && (job.expiresAt ?? now) > now
  return {
    export_id: job.id,
    artifact_id: job.artifactId,
    target: TARGETS.find((target) => target === job.target) ?? 'svc',
    quant: job.quant ?? null,
    part: EXPORT_PARTS.find((part) => part === job.part) ?? 'merged',
    destination: 'download',
    state: job.state,
    target_url: isThere ? `/v1/exports/${job.id}/download` : null,
    error: job.errorMessage ?? null,
    error_code: job.errorCode ?? null,
    meta:
      typeof resultHash === 'string' && typeof sizeBytes === 'number' && fileName && mediaType
        ? { file_name: fileName, media_type: mediaType, size_bytes: sizeBytes, sha256: resultHash }
        : null,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: job.finishedAt?.toISOString() ?? null,
    updated_at: (job.finishedAt ?? job.startedAt ?? job.createdAt).toISOString(),
    expires_at: job.expiresAt?.toISOString() ?? null,
  }
}

const params = z.object({ id: ExportId })

export const createExportRoute = defineRoute({
  method: 'post',
  path: '/v1/exports',
  operationId: 'createExport',
  group: 'artifacts',
  summary: 'Export an artifact to another format',
  description:
    'A job that ends with a file to download, kept for seven days. `gguf` (F16, F32, Q8_0), `onnx` (fp32) and `mlx` (fp16) are written here for adapters, `onnx` for classifiers and tabular models, `svc` (when no target is given) for all. The job reports whether the format can hold the artifact; `POST /v1/export` reports it immediately, which also plans the formats that are not written here.',
  auth: 'key',
  scope: 'artifacts:export',
  namespace: 'bounded',
  limit: { name: 'exports', limit: 'planning_calls_per_ip_minute', windowS: 60, counts: 'calls' },
  idempotency: 'kernel',
  stores: 'blobs',
  body: CreateExportBody,
  fieldCodes: {
    artifact_id: 'artifact_id_required',
    target: 'unknown_target',
    destination: 'unknown_destination',
  },
  answers: {
    202: envelope('The job is accepted', CreateExportAnswer),
  },
  errors: [
    'not_found',
    'artifact_id_required',
    'unknown_target',
    'unknown_quant',
    'unknown_destination',
    'export_not_applicable',
    'too_many_running_jobs',
    'storage_allowance_used',
    'not_ready',
    'k_score_below_floor',
    'artifact_expired',
    'artifact_revoked',
  ],
}).handle(async ({ op, services, body }) => {
  const job = await createExport(op, {
    artifactId: body.artifact_id,
    target: body.target,
    quant: quantOf(body.target, body.quant ?? null, body.part),
    part: body.part,
    destination: body.destination,
    limits: services.limits,
  })
  return {
    status: 202,
    body: {
      export_id: job.id,
      state: 'queued',
      poll: `/v1/exports/${job.id}`,
      export: presentExport(job, op.now()),
    },
  }
})

/** The quant that will be written. Throws `export_not_applicable` for formats that are only planned, and `unknown_quant`. */
function quantOf(
  target: (typeof TARGETS)[number],
  quant: string | null,
  part: (typeof EXPORT_PARTS)[number],
): string | null {
  if (target === 'svc') return null
  if (!isWrittenTarget(target)) {
    throw MODEL_ERRORS.export_not_applicable(
      `the service does not write ${target}; POST /v1/export returns the commands that create it`,
    )
  }
  const choice = chooseExport(target, quant, part)
  if (choice !== undefined) return choice.quant
  throw MODEL_ERRORS.unknown_quant(`quant: ${target} of ${part} is not written as ${quant ?? 'usual'}`, {
    details: { fields: [{ field: 'quant', message: 'is not written for this target and part' }] },
  })
}

export const listExportsRoute = defineRoute({
  method: 'get',
  path: '/v1/exports',
  operationId: 'listExports',
  group: 'artifacts',
  summary: 'List the exports of the tenant, newest first',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  query: pageOf(50),
  answers: { 200: envelope('One page', ListExportsAnswer) },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const { items, nextCursor } = await listExports(op, query)
  const exports = items.map((job) => presentExport(job, op.now()))
  return { status: 200, body: { exports, count: exports.length, next_cursor: nextCursor } }
})

export const getExportRoute = defineRoute({
  method: 'get',
  path: '/v1/exports/{id}',
  operationId: 'getExport',
  group: 'artifacts',
  summary: 'Show an export',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  params,
  answers: { 200: envelope('The export as it stands', GetExportAnswer) },
}).handle(async ({ op, params: { id } }) => ({
  status: 200,
  body: { export: presentExport(await findExport(op, id), op.now()) },
}))

export const downloadExportRoute = defineRoute({
  method: 'get',
  path: '/v1/exports/{id}/download',
  operationId: 'downloadExport',
  group: 'artifacts',
  summary: 'Download the file of an export',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  params,
  answers: {
    200: rawAnswer('The file', 'application/octet-stream'),
    206: rawAnswer('The part of the file that `Range` asks for', 'application/octet-stream'),
    304: rawAnswer('`If-None-Match` names the file', 'application/octet-stream'),
    416: rawAnswer('`Range` asks for what is not there', 'application/octet-stream'),
  },
  errors: ['not_ready', 'export_expired'],
}).handle(async ({ op, request, params: { id } }) => {
  const file = await openExportFile(op, id)
  return await downloadBlob(op.db, request, {
    sha256: file.sha256,
    sizeBytes: file.sizeBytes,
    fileName: file.fileName,
    audit: async (part) => await recordExportDownload(op, { exportId: id, part }),
  })
})
