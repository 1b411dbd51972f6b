import { Migration } from '@mikro-orm/migrations'

/**
 * The index of the search. A login that may not create the extension gets one over the words alone: common words of large
 * tenants then cost others some time.
 */
const WORDS = `do $$ begin
  create extension if not exists btree_gin;
  create index "document_chunks_words" on "document_chunks" using gin ("tenant_id", "namespace", "words");
exception when insufficient_privilege or undefined_file or feature_not_supported then
  create index "document_chunks_words" on "document_chunks" using gin ("words");
end $$`

/** Documents of namespaces, their chunks and vectors, and the calls that index them. */
export class RecallDocuments extends Migration {
  override up(): void {
    this.addSql(
      `create table "document_indexes" ("id" text not null, "tenant_id" text not null, "namespace" text not null, "state" text not null, "force" boolean not null, "error_code" text null, "error_message" text null, "vectors_note" text null, "created_at" timestamptz(3) not null, "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(`create index "document_indexes_newest" on "document_indexes" ("tenant_id", "created_at", "id")`)
    this.addSql(`create index "document_indexes_unfinished" on "document_indexes" ("id") where finished_at is null`)
    this.addSql(
      `create index "document_indexes_unfinished_of_tenant" on "document_indexes" ("tenant_id") where finished_at is null`,
    )
    this.addSql(
      `create index "document_indexes_swept" on "document_indexes" ("finished_at") where finished_at is not null`,
    )
    this.addSql(
      `create table "document_index_files" ("index_id" text not null, "place" int not null, "tenant_id" text not null, "namespace" text not null, "path" text not null, "origin" text not null, "state" text not null, "reason" text null, "modality" text null, "size_bytes" bigint null, "blob_sha256" text null, primary key ("index_id", "place"))`,
    )
    this.addSql(
      `create index "document_index_files_of_tenant" on "document_index_files" ("tenant_id", "index_id", "place")`,
    )
    this.addSql(
      `create index "document_index_files_by_blob" on "document_index_files" ("blob_sha256") where blob_sha256 is not null`,
    )
    this.addSql(
      `create table "documents" ("id" text not null, "tenant_id" text not null, "namespace" text not null, "path" text not null, "origin" text not null, "sha256" text not null, "size_bytes" bigint not null, "modality" text not null, "content_extracted" boolean not null, "reason" text null, "characters" int not null, "chunk_count" int not null, "term_count" bigint not null, "embedding_model" text null, "stamp" text null, "blob_sha256" text null, "indexed_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "documents_by_blob" on "documents" ("blob_sha256") where blob_sha256 is not null`)
    this.addSql(
      `alter table "documents" add constraint "documents_of_namespace" unique ("tenant_id", "namespace", "path")`,
    )
    this.addSql(
      `create table "document_vectors" ("document_id" text not null, "seq" int not null, "tenant_id" text not null, "namespace" text not null, "model" text not null, "vector" bytea not null, primary key ("document_id", "seq"))`,
    )
    this.addSql(
      `create index "document_vectors_of_namespace" on "document_vectors" ("tenant_id", "namespace", "model", "document_id", "seq")`,
    )
    this.addSql(
      `create table "document_chunks" ("document_id" text not null, "seq" int not null, "tenant_id" text not null, "namespace" text not null, "text" text not null, "start" int not null, "length" int not null, "words" tsvector not null, primary key ("document_id", "seq"))`,
    )
    this.addSql(`create index "document_chunks_of_tenant" on "document_chunks" ("tenant_id", "document_id", "seq")`)
    this.addSql(WORDS)
    // Words are read for every chunk that is ranked, texts for a few: so the words stay in the row.
    this.addSql(`alter table "document_chunks" alter column "words" set storage main`)
    this.addSql(
      `alter table "document_indexes" add constraint "document_indexes_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(
      `alter table "document_indexes" add constraint "document_indexes_state_check" check ("state" in ('queued', 'running', 'succeeded', 'failed'))`,
    )
    this.addSql(`alter table "document_indexes" enable row level security`)
    this.addSql(`create policy "tenant" on "document_indexes" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "document_indexes" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "document_index_files" add constraint "document_index_files_index_id_foreign" foreign key ("index_id") references "document_indexes" ("id") on delete cascade`,
    )
    this.addSql(
      `alter table "document_index_files" add constraint "document_index_files_blob_sha256_foreign" foreign key ("blob_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(
      `alter table "document_index_files" add constraint "document_index_files_origin_check" check ("origin" in ('upload', 'workspace'))`,
    )
    this.addSql(
      `alter table "document_index_files" add constraint "document_index_files_state_check" check ("state" in ('waiting', 'indexed', 'skipped', 'failed'))`,
    )
    this.addSql(`alter table "document_index_files" enable row level security`)
    this.addSql(`create policy "tenant" on "document_index_files" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "document_index_files" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "documents" add constraint "documents_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(
      `alter table "documents" add constraint "documents_blob_sha256_foreign" foreign key ("blob_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(
      `alter table "documents" add constraint "documents_origin_check" check ("origin" in ('upload', 'workspace'))`,
    )
    this.addSql(
      `alter table "documents" add constraint "documents_modality_check" check ("modality" in ('text', 'markdown', 'code', 'html', 'pdf', 'office', 'image', 'audio', 'video', 'binary'))`,
    )
    this.addSql(`alter table "documents" enable row level security`)
    this.addSql(`create policy "tenant" on "documents" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "documents" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "document_vectors" add constraint "document_vectors_document_id_foreign" foreign key ("document_id") references "documents" ("id") on delete cascade`,
    )
    this.addSql(`alter table "document_vectors" enable row level security`)
    this.addSql(`create policy "tenant" on "document_vectors" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "document_vectors" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "document_chunks" add constraint "document_chunks_document_id_foreign" foreign key ("document_id") references "documents" ("id") on delete cascade`,
    )
    this.addSql(`alter table "document_chunks" enable row level security`)
    this.addSql(`create policy "tenant" on "document_chunks" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "document_chunks" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
  }
}
