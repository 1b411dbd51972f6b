import { Migration } from '@mikro-orm/migrations'

/**
 * Claims of Idempotency-Keys belong to a credential, jobs to a namespace, and the id of an identity provider to as many
 * organisations as name it.
 */
export class BoundsAndClaims extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement)
  }
}

const STATEMENTS = [
  // The owner of earlier claims is unknown: an empty credential belongs to no caller, see `idempotency/claims.ts`.
  `alter table "idempotency_keys" add "credential" text not null default ''`,
  `alter table "idempotency_keys" alter "credential" drop default`,
  `alter table "idempotency_keys" drop constraint "idempotency_keys_pkey"`,
  `alter table "idempotency_keys" add primary key ("tenant_id", "route", "key", "credential")`,
  `alter table "compile_jobs" add "idempotency_credential" text null`,
  `update "compile_jobs" set "idempotency_credential" = '' where "idempotency_key" is not null`,
  `drop index "compile_jobs_idempotency"`,
  `create unique index "compile_jobs_idempotency" on "compile_jobs" ("tenant_id", "idempotency_route", "idempotency_key", "idempotency_credential") where idempotency_key is not null`,
  // Jobs that a bound key made without naming its namespace were charged to it, and belong to it from now on.
  `update "compile_jobs" j set "spec" = (j.spec::jsonb || jsonb_build_object('corpus_namespace', r.namespace))::json
    from "quota_reservations" r where r.job_id = j.id and j.spec ->> 'corpus_namespace' is null and r.namespace <> 'default'`,
  `alter table "sso_configs" drop constraint "sso_configs_idp_entity_id_unique"`,
  `create index "sso_configs_idp_entity_id_index" on "sso_configs" ("idp_entity_id")`,
]
