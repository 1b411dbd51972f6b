import { Migration } from '@mikro-orm/migrations'

/** When the reconciler checks rows whose workflow is gone, and refused payment events. */
export class FoundAgain extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement)
  }
}

const STATEMENTS = [
  `alter table "mails" add "look_at" timestamptz(3) null`,
  `create index "mails_queued" on "mails" ("created_at") where state = 'queued'`,
  `alter table "dunnings" add "look_at" timestamptz(3) null`,
  `create index "dunnings_to_step" on "dunnings" ("next_step_at") where next_step_at is not null`,
  `alter table "billing_accounts" add "look_at" timestamptz(3) null`,
  `create index "billing_accounts_to_look_at" on "billing_accounts" ("look_at") where look_at is not null`,
  `alter table "tenants" add "deletion_look_at" timestamptz(3) null`,
  `create index "tenants_to_clear_up" on "tenants" ("deletion_look_at") where deletion_look_at is not null`,
  // The workflow checks everything once that may have work, and records the remainder.
  `update "billing_accounts" a set "look_at" = now() where "tax_dirty_at" is not null or exists (
     select 1 from "subscriptions" s where s."tenant_id" = a."tenant_id"
       and s."status" not in ('canceled', 'incomplete_expired')
       and (s."ends_at" is not null or s."resume_due_at" is not null or s."is_cancel_at_period_end")
   )`,
  `update "tenants" set "deletion_look_at" = now()
   where "deleted_at" is not null and "purged_at" is null and "claimed_into" is null`,
  `alter table "payment_events" add "refused_at" timestamptz(3) null`,
  `create index "payment_events_refused" on "payment_events" ("refused_at") where refused_at is not null`,
  `update "payment_events" set "refused_at" = "received_at"
   where "outcome" in ('livemode_mismatch', 'currency_mismatch', 'tenant_mismatch', 'customer_mismatch', 'unknown_tenant')`,
]
