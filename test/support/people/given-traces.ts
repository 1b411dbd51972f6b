import { randomBytes } from 'node:crypto'
import { newId } from '../../../core/kernel/ids.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { sendSql } from '../db/send-sql.ts'

/** Whose rows they are. */
export interface Traces {
  readonly tenantId: string
  readonly memberId: string
  readonly jobId: string
  /** Stands in each text. */
  readonly mark: string
}

/** Leaves rows of a tenant that come about in long ways, each with the mark where it has a text. */
export async function givenTraces(db: Database, { tenantId, memberId, jobId, mark }: Traces): Promise<void> {
  const statements: readonly (readonly [text: string, values: readonly unknown[]])[] = [
    [
      `insert into namespace_settings (tenant_id, namespace, settings, updated_at) values ($1, $2, '{}', now())`,
      [tenantId, mark],
    ],
    [
      `insert into provider_settings (tenant_id, provider, enabled, rate_limit_rpm, updated_at) values ($1, 'openai', true, 0, now())`,
      [tenantId],
    ],
    [
      `insert into cached_answers (tenant_id, key, namespace, provider, model, capture_id, answer, created_at, expires_at)
       values ($1, '\\x00', $2, 'openai', 'gpt-4o', 'cap_0', '{}', now(), now() + interval '1 day')`,
      [tenantId, mark],
    ],
    [
      `insert into response_references (tenant_id, key, namespace, provider, content, size_bytes, created_at, expires_at)
       values ($1, '\\x00', $2, 'openai', null, 0, now(), now() + interval '1 day')`,
      [tenantId, mark],
    ],
    [
      `insert into copyright_allowlists (tenant_id, entries, updated_at)
       values ($1, json_build_array(json_build_object('text', $2::text, 'note', null)), now())`,
      [tenantId, mark],
    ],
    [
      `insert into connector_interests (tenant_id, connector, email, created_at) values ($1, 'slack', $2 || '@example.test', now())`,
      [tenantId, mark],
    ],
    [
      `insert into budget_periods (tenant_id, namespace, period, spent_micros, reserved_micros) values ($1, $2, '2026-11', 1, 1)`,
      [tenantId, mark],
    ],
    [
      `insert into budget_reservations (id, tenant_id, namespace, period, micros, touched_at)
       values (gen_random_uuid(), $1, $2, '2026-11', 1, now())`,
      [tenantId, mark],
    ],
    [
      `insert into forgotten_terms (id, tenant_id, kind, pattern, digest, created_at) values ('fgt_' || $1, $1, 'pattern', $2, '\\x00', now())`,
      [tenantId, mark],
    ],
    [
      `insert into compile_questions (job_id, number, tenant_id, state, input, reason, answers, unanswered, asked_at, answer_by)
       select id, 1, tenant_id, 'open', '"x"', 'best_fails', '[]', 1, now(), now() from compile_jobs where id = $1`,
      [jobId],
    ],
    [
      `insert into compile_captures (tenant_id, job_id, capture_id, seq, chain_hash)
       select tenant_id, id, $2, 1, '\\x00' from compile_jobs where id = $1`,
      [jobId, mark],
    ],
    [
      `insert into compile_acceptances (job_id, tenant_id, state, accepted_by, accepted_at, k_score, k_score_floor, finished_at)
       select id, tenant_id, 'failed', $2, now(), 0.7, 0.9, now() from compile_jobs where id = $1`,
      [jobId, `key:${mark}`],
    ],
    [
      `insert into teacher_rounds (job_id, tenant_id, summary, budget_usd_micros, reserved_usd_micros,
         spent_usd_micros, started_at) values ($2, $1, $3, 0, 0, 0, now())`,
      [tenantId, jobId, JSON.stringify({ text: mark })],
    ],
    [
      `insert into teacher_samples (job_id, question, ordinal, tenant_id, request_hash, text, finish, model, input_tokens,
         cached_tokens, output_tokens, cost_usd_micros, latency_ms, attempts, is_reused, created_at)
       values ($2, 'q', 0, $1, 'h', $3, 'stop', 'm', 0, 0, 0, 0, 0, 1, false, now())`,
      [tenantId, jobId, mark],
    ],
    [
      `insert into training_records (job_id, fit, role, tenant_id, facts, recorded_at)
       select id, 'f', 'plan', tenant_id, $2, now() from compile_jobs where id = $1`,
      [jobId, JSON.stringify({ text: mark })],
    ],
    [
      `insert into job_stages (job_id, stage, tenant_id, attempts, fraction, started_at, result)
       select id, 'k-sample', tenant_id, 1, 1, now(), $2 from compile_jobs where id = $1`,
      [jobId, JSON.stringify({ text: mark })],
    ],
    [
      `insert into outbox (workflow_id, family, tenant_id, input, version, attempts, created_at, due_at)
       values ($2, 'compile', $1, '{}', 1, 0, now(), now())`,
      [tenantId, jobId],
    ],
    ["insert into unpaid_compute (tenant_id, day, used_ms) values ($1, '2026-01-01', 1000)", [tenantId]],
    [
      `insert into quota_leases (id, tenant_id, period, granted_units, spent_units, touched_at)
       values (gen_random_uuid(), $1, '2026-01', 1, 1, now())`,
      [tenantId],
    ],
    [
      `insert into external_identities (provider, subject, tenant_id, member_id, email, created_at, last_used_at)
       values ('github', $2, $1, $2, $3, now(), now())`,
      [tenantId, memberId, `${mark}@example.test`],
    ],
    ['insert into consumed_assertions (tenant_id, assertion_id, expires_at) values ($1, $2, now())', [tenantId, mark]],
    [
      `insert into login_attempts (id, kind, state_hash, browser_hash, sealed, return_to, tenant_id, created_at, expires_at)
       values ($2, 'saml', $3, $3, $3, '/' || $4, $1, now(), now())`,
      [tenantId, newId('lat'), randomBytes(32), mark],
    ],
    [
      `insert into export_declarations (id, tenant_id, destination_id, destination_class, state, ledger, created_at)
       values ($2, $1, $3, 'x', 'declared', '{}', now())`,
      [tenantId, newId('dcl'), mark],
    ],
    [
      `insert into adapter_manifests (id, tenant_id, adapter_id, version, hash, manifest, report, created_at)
       values ($2, $1, $3, '1', 'h', '{}', '{}', now())`,
      [tenantId, newId('adm'), mark],
    ],
    [
      `insert into invoices (id, tenant_id, kind, amount_paid_cents, currency, status, event_created, event_id, created_at)
       values ($2, $1, 'invoice', 900, 'usd', 'paid', 1, 'evt', now())`,
      [tenantId, newId('inv')],
    ],
  ]
  for (const [text, values] of statements) await sendSql(db, text, values)
}
