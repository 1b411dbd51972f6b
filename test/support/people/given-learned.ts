import { newId } from '../../../core/kernel/ids.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { givenDataset, givenDatasetRows } from '../db/given-datasets.ts'
import { givenBakeoff, givenMeasurement } from '../db/given-bakeoff.ts'
import { givenEvaluation } from '../db/given-evaluation.ts'
import { givenRun } from '../db/given-run.ts'
import { sendSql } from '../db/send-sql.ts'

/** In which namespace, for which artifact, and a word that stands in the rows. */
export interface GivenLearned {
  readonly namespace: string
  readonly artifactId: string
  readonly mark: string
}

/** Ids of a dataset, an evaluation, a gate, a bake-off, a measurement, a distillation, a cloud job and a pool. */
export interface Learned {
  readonly datasetId: string
  readonly evaluationId: string
  readonly gateId: string
  readonly bakeoffId: string
  readonly measurementId: string
  readonly cloudJobId: string
  readonly poolId: string
  readonly runId: string
  readonly packId: string
}

const HASH = `sha256:${'0'.repeat(64)}`

/**
 * A dataset, an evaluation with a row, a bake-off with an answer and a preference, a measurement, a gate, a distillation with an event and a
 * sealed holdout with a row, a cloud job and a pool, as rows.
 */
export async function givenLearned(op: Operation, { namespace, artifactId, mark }: GivenLearned): Promise<Learned> {
  const { db, tenantId } = op
  await givenDatasetRows(op, namespace)
  const { datasetId } = await givenDataset(op, namespace)
  await sendSql(db, `update dataset_versions set state = 'ready', finished_at = now() where tenant_id = $1`, [tenantId])
  await sendSql(db, 'update datasets set version = 1 where id = $1', [datasetId])
  const evaluationId = await givenEvaluation(op, artifactId, namespace)
  const bakeoffId = await givenBakeoff(op, namespace)
  const measurementId = await givenMeasurement(op, artifactId, namespace)
  const runId = await givenRun(op, namespace)
  const [gateId, holdoutId, packId] = [newId('gat'), newId('hld'), newId('bpk')]
  const [cloudJobId, poolId] = [newId('cdj'), newId('pol')]
  const statements: readonly (readonly [text: string, values: readonly unknown[]])[] = [
    [`update evaluations set name = $2, state = 'failed', finished_at = now() where id = $1`, [evaluationId, mark]],
    ['delete from outbox where workflow_id = any ($1)', [[evaluationId, bakeoffId, measurementId, runId]]],
    [`update bakeoffs set state = 'failed', error_message = $2, finished_at = now() where id = $1`, [bakeoffId, mark]],
    [
      `insert into bakeoff_answers (bakeoff_id, contestant, place, tenant_id, namespace, row_group, is_right, score, cost,
         answered_at) values ($1, 0, 0, $2, $3, 0, true, 1, '{}', now())`,
      [bakeoffId, tenantId, namespace],
    ],
    [
      `insert into bakeoff_preferences (bakeoff_id, place, first, second, tenant_id, namespace, won, cost, judged_at)
       values ($1, 0, 0, 1, $2, $3, 1, '{}', now())`,
      [bakeoffId, tenantId, namespace],
    ],
    [
      `update inference_measurements set state = 'failed', error_message = $2, finished_at = now() where id = $1`,
      [measurementId, mark],
    ],
    [
      `insert into distill_samples (run_id, row_id, ordinal, tenant_id, text, finish, cost_micros) values ($1, 'row_1', 0, $2, $3, 'stop', 1)`,
      [runId, tenantId, mark],
    ],
    [`update distill_runs set teacher = $2, state = 'failed', finished_at = now() where id = $1`, [runId, mark]],
    [
      `insert into gates (id, tenant_id, namespace, mode, state, candidate_id, baseline_id, row_count, alpha, level,
         registration, registration_hash, created_at, finished_at)
       values ($1, $2, $3, 'sequential', 'failed', $4, $4, 1, 0.05, 0.05, '{}', $5, now(), now())`,
      [gateId, tenantId, namespace, artifactId, HASH],
    ],
    [
      `insert into bench_packs (id, tenant_id, namespace, benchmark, name, file_hash, question_count, size_bytes, blob_sha256, created_at)
       select $1, $2, $3, 'mmlu', $4, decode(md5($1), 'hex'), 1, 1, sha256, now() from blobs limit 1`,
      [packId, tenantId, namespace, mark],
    ],
    [
      `insert into holdout_corpora (id, tenant_id, name, namespace, lineage_id, state, row_count, skipped, size_bytes,
         root, normalized_hash, tags, metadata, created_at)
       values ($1, $2, $3, $4, $1, 'sealed', 1, 0, 1, $5, $5, '[]', '{}', now())`,
      [holdoutId, tenantId, mark.replaceAll(/[^a-z0-9]+/gi, '-'), namespace, HASH],
    ],
    [
      `insert into holdout_rows (corpus_id, row_key, tenant_id, is_sealed) values ($1, '\\x00', $2, true)`,
      [holdoutId, tenantId],
    ],
    [
      `insert into cloud_jobs (id, tenant_id, namespace, recipe_id, capture_window, capture_from, lane, gpu_sku, vram_tier,
         rate_usd_micros, budget_usd_micros, base_model, choices, charged_to, allows_sensitive, run_id, error_code,
         error_message, created_at, settled_at)
       values ($1, $2, $3, 'default-distill', '7d', now(), 'pool', 'A100-80GB', '1x', 1, 1, 'nano', '{}', '{}', false, $4,
         'no_examples', $5, now(), now())`,
      [cloudJobId, tenantId, namespace, newId('run'), mark],
    ],
    [
      `insert into trainer_pools (id, tenant_id, name, gpu_sku, vram_tier, token_hash, created_at)
       values ($1, $2, $3, 'A100-80GB', '1x', $1, now())`,
      [poolId, tenantId, mark],
    ],
  ]
  for (const [text, values] of statements) await sendSql(db, text, values)
  return { datasetId, evaluationId, gateId, bakeoffId, measurementId, runId, cloudJobId, poolId, packId }
}

/** A hook that was sent and a machine that was rented for a job, as rows; the sketch of its version where it has none. */
export async function givenErrands(op: Operation, { namespace, artifactId, mark }: GivenLearned): Promise<void> {
  const { db, tenantId } = op
  const statements: readonly (readonly [text: string, values: readonly unknown[]])[] = [
    [
      `insert into webhook_deliveries (id, tenant_id, kind, subject_id, namespace, state, attempts, error_code, created_at, ended_at)
       values ($1, $2, 'given', $3, $4, 'failed', 1, $5, now(), now())`,
      [newId('hook'), tenantId, `${tenantId}/${artifactId}`, namespace, mark],
    ],
    [
      `insert into rentals (job_id, tenant_id, lane, budget_usd_micros, rate_usd_micros, quote, parameters_b, cost_usd_micros,
         error_code, created_at, ended_at)
       values ($1, $2, 'gpu_pods', 1, 1, '{}', 1, 0, $3, now(), now())`,
      [artifactId, tenantId, mark],
    ],
    [
      `insert into rental_leases (id, job_id, tenant_id, number, machine_name, rate_usd_micros, token_hash, ordered_at, ended_at,
         cost_usd_micros)
       values ($1, $2, $3, 1, $4, 1, $1, now(), now(), 0)`,
      [newId('lse'), artifactId, tenantId, mark],
    ],
    [
      `insert into training_meter (job_id, number, tenant_id, lease_id, kind, gpu_ms, rate_usd_micros, at)
       values ($1, 1, $2, $3, 'training_run', 1, 1, now())`,
      [artifactId, tenantId, mark],
    ],
    [
      `insert into rental_checkpoints (tenant_id, fit, blob_sha256, step, kept_at)
       select $1, $2, sha256, 1, now() from blobs limit 1`,
      [tenantId, mark],
    ],
    [
      `insert into version_sketches (artifact_id, tenant_id, sketch, created_at) values ($1, $2, '\\x00', now())
       on conflict do nothing`,
      [artifactId, tenantId],
    ],
  ]
  for (const [text, values] of statements) await sendSql(db, text, values)
}
