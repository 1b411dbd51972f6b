import { ROUTES } from '../../../../api/routes.ts'
import { beginExport, succeedExport } from '../../../../db/compile/exports/finish-export.ts'
import { putBlob } from '../../../../db/kernel/blobs/put-blob.ts'
import type { ApiTenant, OpenedApi } from '../../api.ts'
import { givenProgramArtifact } from '../../archives/signed-artifacts.ts'
import { givenRun } from '../../db/given-run.ts'
import { sendSql } from '../../db/send-sql.ts'
import { setUpOperation } from '../../people/given-members.ts'

/** Routes that hand out a file, whole or in parts. */
export const DOWNLOADS = ROUTES.filter(({ answers }) => answers[206] !== undefined)

/** Makes a file for each of these routes; returns their paths by operation id. */
export async function givenDownloads(api: OpenedApi, tenant: ApiTenant): Promise<Readonly<Record<string, string>>> {
  const { db } = api.server.services
  const op = setUpOperation(db, tenant.id)
  const artifact = await givenProgramArtifact(op)
  const post = async (path: string, body: object) => (await api.call('POST', path, { key: tenant.key, body })).body
  const { export_id: exportId } = await post('/v1/exports', { artifact_id: artifact })
  const { sha256, sizeBytes } = await putBlob(db, Buffer.from('the file of an export'))
  await beginExport(op, { exportId, now: new Date() })
  const result = { sha256, sizeBytes, fileName: 'model.svc', mediaType: 'application/octet-stream' }
  await succeedExport(op, { exportId, result, keptDays: 7 })
  const { url } = await post('/v1/share-links', { target_id: artifact })
  const runId = await givenRun(op, 'support')
  await sendSql(db, 'update distill_runs set adapter_sha256 = $2 where id = $1', [runId, sha256])
  return {
    downloadArtifact: `/v1/artifacts/${artifact}/download`,
    downloadCompile: `/v1/compile/${artifact}/.svc`,
    downloadExport: `/v1/exports/${exportId}/download`,
    getDistillRunAdapter: `/v1/distill/runs/${runId}/adapter`,
    openSharedPart: `${new URL(url).pathname}/archive`,
  }
}
