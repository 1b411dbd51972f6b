import { RECORD_BYTES, writeRecord } from '../../../core/learn/datasets/index/row-index.ts'
import { canonicalRow, hashRow, rowId, writeRow } from '../../../core/learn/datasets/rows/stored-row.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import type { ApiTenant, TestApi } from '../api.ts'
import { sendSql } from '../db/send-sql.ts'
import { givenReadyDataset } from './given-ready-dataset.ts'

/** Inputs of the rows: the first to learn from, the second held out. */
const INPUTS = ['ada', 'alan']

/** A dataset whose first version has two rows, one of them held out; returns its id. */
export async function givenHeldDataset(api: TestApi, tenant: ApiTenant): Promise<string> {
  const id = await givenReadyDataset(api, tenant)
  const { db } = api.server.services
  const index = Buffer.alloc(INPUTS.length * RECORD_BYTES)
  let lines = ''
  for (const [place, prompt] of INPUTS.entries()) {
    const canonical = canonicalRow({ prompt, completion: prompt.toUpperCase() })
    const hash = hashRow(canonical)
    const line = writeRow({ id: rowId(hash), source: 'inline', conversation: null }, canonical)
    const where = { offset: lines.length, length: line.length, group: place, key: hash.subarray(0, 16), hash }
    writeRecord(index, place, { ...where, isHeld: place > 0, isForgotten: false, isGivenHeld: false })
    lines += line
  }
  const [rows, records] = [await putBlob(db, Buffer.from(lines)), await putBlob(db, index)]
  await sendSql(
    db,
    `update dataset_versions set rows_sha256 = $2, index_sha256 = $3, held_sha256 = $3, row_count = 2, train_count = 1,
       holdout_count = 1, row_type = 'prompt_completion', row_form = 'plain', merkle_root = '' where dataset_id = $1`,
    [id, rows.sha256, records.sha256],
  )
  return id
}
