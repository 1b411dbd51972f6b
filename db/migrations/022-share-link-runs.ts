import { Migration } from '@mikro-orm/migrations'

/** Runs that visitors of a share link may make, and those that they made. */
export class ShareLinkRuns extends Migration {
  override up(): void {
    this.addSql(
      `alter table "share_links" add column "run_limit" int not null default 0, add column "run_count" int not null default 0`,
    )
  }
}
