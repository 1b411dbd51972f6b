import type { RowView, VersionView } from '../../../core/learn/wire/datasets/answers.ts'
import type { Dataset } from '../../../db/learn/datasets/dataset.ts'
import type { VersionRow } from '../../../db/learn/datasets/find-dataset.ts'
import type { PlacedRow } from '../../../db/learn/datasets/read-rows.ts'

/** Returns the fields that name a dataset. */
export function presentNamed({ id, tenantId, namespace, name }: Dataset) {
  return { dataset_id: id, tenant_id: tenantId, namespace, name }
}

/** Returns the fields of a version. */
export function presentVersion(row: VersionRow): VersionView {
  const { source, split, facts } = row
  return {
    version: row.version,
    state: row.state,
    kind: source.kind,
    base_version: source.base,
    row_count: row.rowCount,
    train_count: row.trainCount,
    holdout_count: row.holdoutCount,
    forgotten_count: row.forgottenCount,
    row_type: row.rowType ?? null,
    row_form: row.rowForm ?? null,
    merkle_root: row.merkleRoot ?? null,
    seed: row.seed ?? null,
    split_signature: row.splitSignature ?? null,
    train_ratio: split.train_ratio,
    min_train: split.min_train,
    min_holdout: split.min_holdout,
    stratified_by: facts ? (facts.by_label ? 'label' : 'none') : null,
    groups: facts?.groups ?? null,
    row_hash_dedupe_count: facts?.duplicates ?? null,
    sources: facts?.sources.map(({ name, rows }) => ({ name, rows })) ?? [],
    skipped: facts?.skipped ?? {},
    size_bytes: row.sizeBytes ?? null,
    error_code: row.errorCode ?? null,
    error: row.errorMessage ?? null,
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  }
}

/** Returns the fields of a row at its place. */
export function presentRow({ place, record, stored }: PlacedRow): RowView {
  return {
    place,
    row_id: stored?.id ?? null,
    row_hash: `sha256:${Buffer.from(record.hash).toString('hex')}`,
    side: record.isHeld ? 'holdout' : 'train',
    group: record.group,
    source: stored?.source ?? null,
    conversation_id: stored?.conversation ?? null,
    forgotten: stored === null,
    row: stored?.row ?? null,
  }
}
