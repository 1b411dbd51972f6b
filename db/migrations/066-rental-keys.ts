import { Migration } from '@mikro-orm/migrations'

/** The copy of a tenant's own key in a rental, and the caller's word on sensitive text. */
export class RentalKeys extends Migration {
  override up(): void {
    this.addSql(
      `alter table "rentals" add "sealed_key" bytea null, add "allows_sensitive" boolean not null default false`,
    )
    // Rentals of earlier versions were checked when they were made.
    this.addSql(`update "rentals" set "allows_sensitive" = true`)
    this.addSql(
      `create index "rentals_keyed" on "rentals" ("job_id") where sealed_key is not null and ended_at is not null`,
    )
  }
}
