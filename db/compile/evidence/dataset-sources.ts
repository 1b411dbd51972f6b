import { sql } from 'kysely'

/** True for a job `j` that compiles the rows of a dataset. */
export const HAS_DATASET = sql<boolean>`j.spec -> 'dataset' is not null`

/**
 * The sources of a job `j` of a dataset, in a row for each: the distillation, the dataset, and its version as dependency graphs name
 * it (`ds_…/v3`).
 */
export const DATASET_SOURCES = sql<string>`unnest(array[j.spec #>> '{dataset,run_id}', j.spec #>> '{dataset,dataset_id}',
  (j.spec #>> '{dataset,dataset_id}') || '/v' || (j.spec #>> '{dataset,version}')])`
