import type { ApiTenant, TestApi } from '../api.ts'
import { sendSql } from '../db/send-sql.ts'

/** A dataset whose first version counts as built, without its rows; returns its id. */
export async function givenReadyDataset(api: TestApi, { key }: ApiTenant): Promise<string> {
  const body = { namespace: 'support', rows: [{ input: 'ada', output: 'ADA' }] }
  const made = await api.call('POST', '/v1/datasets', { key, body })
  const id = String(made.body.dataset_id)
  const { db } = api.server.services
  await sendSql(
    db,
    `update dataset_versions set state = 'ready', finished_at = now(), row_count = 1, train_count = 1 where dataset_id = $1`,
    [id],
  )
  await sendSql(db, 'update datasets set version = 1 where id = $1', [id])
  return id
}
