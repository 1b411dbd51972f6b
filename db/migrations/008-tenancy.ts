import { Migration } from '@mikro-orm/migrations'
import { BILLING } from './008/billing.ts'
import { PEOPLE } from './008/people.ts'
import { RECORDS } from './008/records.ts'

/** Members, teams, identities, billing, the vault and the control center. */
export class Tenancy extends Migration {
  override up(): void {
    for (const statement of [...PEOPLE, ...BILLING, ...RECORDS, ...CHANGES, ...BACKFILL]) this.addSql(statement)
  }
}

/** Changes to existing tables. */
const CHANGES = [
  // Answers that were kept for a day unencrypted.
  `delete from "idempotency_keys"`,
  `alter table "idempotency_keys" drop column "body", add "sealed_answer" bytea null`,
  `alter table "service_secrets" drop constraint "service_secrets_purpose_check"`,
  `alter table "service_secrets" add constraint "service_secrets_purpose_check" check ("purpose" in ('audit', 'fingerprint', 'share'))`,
  `alter table "tenants" drop constraint "tenants_email_unique"`,
  `alter table "tenants"
    add "kind" text not null default 'user',
    add "quota_override" bigint null,
    add "granted_plan" text null,
    add "billing_status" text not null default 'free',
    add "settings" json not null default '{}',
    add "expires_at" timestamptz(3) null,
    add "claimed_into" text null,
    add "deleted_at" timestamptz(3) null,
    add "purged_at" timestamptz(3) null`,
  `alter table "tenants" alter column "email" drop not null`,
  `create index "tenants_email_index" on "tenants" ("email")`,
  `create index "tenants_to_expire" on "tenants" ("expires_at") where expires_at is not null`,
  `create index "tenants_to_purge" on "tenants" ("deleted_at") where deleted_at is not null and purged_at is null`,
  `create index "tenants_newest" on "tenants" ("created_at", "id")`,
  `create unique index "tenants_verified_email" on "tenants" ("email") where is_email_verified and deleted_at is null`,
  `alter table "tenants" add constraint "tenants_kind_check" check ("kind" in ('user', 'anonymous', 'operator'))`,
  `alter table "tenants" add constraint "tenants_granted_plan_check" check ("granted_plan" in ('free', 'starter', 'pro', 'teams', 'business', 'enterprise'))`,
  `alter table "tenants" add constraint "tenants_billing_status_check" check ("billing_status" in ('free', 'pending', 'active', 'past_due', 'suspended', 'cancelled'))`,
  `alter table "api_keys" drop constraint "api_keys_kind_check"`,
  `alter table "api_keys"
    add "member_id" text null,
    add "team_id" text null,
    add "last_used_at" timestamptz(3) null`,
  `alter table "api_keys" add constraint "api_keys_member_id_foreign" foreign key ("member_id") references "members" ("id") on delete no action`,
  `alter table "api_keys" add constraint "api_keys_team_id_foreign" foreign key ("team_id") references "teams" ("id") on delete set null`,
  `create index "api_keys_member_id_index" on "api_keys" ("member_id")`,
  `create index "api_keys_team_id_index" on "api_keys" ("team_id")`,
  `create unique index "api_keys_one_primary" on "api_keys" ("tenant_id") where kind = 'primary' and revoked_at is null`,
  `create unique index "api_keys_one_scim" on "api_keys" ("tenant_id") where kind = 'scim' and revoked_at is null`,
  `alter table "api_keys" add constraint "api_keys_kind_check" check ("kind" in ('primary', 'scoped', 'anonymous', 'scim'))`,
  `alter table "sessions"
    add "member_id" text null,
    add "auth_method" text not null default 'key',
    add "ip" text null,
    add "user_agent" text null`,
  `alter table "sessions" add constraint "sessions_member_id_foreign" foreign key ("member_id") references "members" ("id") on delete no action`,
  `alter table "sessions" alter column "source_key_id" drop not null`,
  `create index "sessions_member_id_index" on "sessions" ("member_id")`,
  `alter table "quota_reservations"
    add "namespace" text not null default 'default',
    add "team_id" text not null default '',
    add "member_id" text not null default ''`,
  `alter table "quota_periods" add "notice_percent" int not null default 0`,
  `create index "invocation_stats_to_fold" on "invocation_stats" ("hour") where extract(hour from hour at time zone 'UTC') <> 0`,
  `create index "quota_periods_period_index" on "quota_periods" ("period")`,
  `create index "compile_jobs_of_all_newest" on "compile_jobs" ("created_at", "id")`,
  `create index "compile_jobs_of_all_by_status" on "compile_jobs" ("status", "created_at", "id")`,
  `alter table "sessions" add constraint "sessions_auth_method_check" check ("auth_method" in ('key', 'mail', 'oauth', 'saml', 'oidc', 'invitation'))`,
]

/** Every tenant gets its owner as a member, and the service a tenant for what its administrators do. */
const BACKFILL = [
  `insert into "members" ("id", "tenant_id", "email", "role", "state", "source", "is_email_verified", "created_at", "updated_at")
   select 'mbr_' || substr("id", 5), "id", "email", 'owner', 'active', 'signup', "is_email_verified", "created_at", "created_at"
   from "tenants"`,
  `update "api_keys" set "member_id" = 'mbr_' || substr("tenant_id", 5)`,
  `update "sessions" set "member_id" = 'mbr_' || substr("tenant_id", 5)`,
  `insert into "tenants" ("id", "name", "kind", "is_email_verified", "plan", "created_at")
   values ('ten_00000000000000000000000000', 'operator', 'operator', false, 'free', now())`,
  `insert into "audit_heads" ("tenant_id", "seq", "hash")
   values ('ten_00000000000000000000000000', 0, 'hmac-sha256:0000000000000000000000000000000000000000000000000000000000000000')`,
]
