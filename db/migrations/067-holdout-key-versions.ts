import { Migration } from '@mikro-orm/migrations'

/** 1 change of the schema. Corpora that were stored before have keys of version 1. */
export class HoldoutKeyVersions extends Migration {
  override up(): void {
    this.addSql(`alter table "holdout_corpora" add "key_version" int not null default 1`)
  }
}
