import { Migration } from '@mikro-orm/migrations'

/** The model of embeddings that a call which indexes files asked for or used. */
export class RecallVectors extends Migration {
  override up(): void {
    this.addSql(`alter table "document_indexes" add column "embedding_model" text null`)
  }
}
