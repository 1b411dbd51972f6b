import { Migration } from '@mikro-orm/migrations'

/** Columns of captures about sound. */
export class CaptureAudio extends Migration {
  override up(): void {
    this.addSql(`alter table "captures" add column "audio" json null`)
    this.addSql(`create index "captures_with_audio" on "captures" ("tenant_id", "id") where audio is not null`)
  }
}
