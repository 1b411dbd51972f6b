import { groupNearDuplicates } from '../../../rows/split/near-duplicates.ts'
import { canHoldOut, LEAST_HELD, mostHeldOut } from '../../../rows/split/hold-out-fifth.ts'
import { assertDistinctInputs, reportLeakage } from '../../../rows/split/leakage.ts'
import { splitShortfalls } from '../../../rows/split/readiness.ts'
import { countFolds, FOLD_RULE, planFolds } from '../../../rows/split/plan-folds.ts'
import { EARLIER_CAPTURED_FIGURES, SEED_FIGURES } from '../../../rows/split/split-rows.ts'
import { hashJson } from '../../../../kernel/json/json.ts'
import { toJsonObject } from '../../members/members-json.ts'
import type { EvalsDocument } from '../../members/documents.ts'
import type { FoldedSeeds } from '../../schemas/build.ts'
import { demand } from '../demand.ts'

type FoldedEvals = Extract<EvalsDocument, { spec: 'svc-evals-2' }>

/**
 * Checks the split of a build: that folds partition the rows and, where evals.json shows all rows, that they are those
 * which the rule gives for the seed and the rows. A build that was accepted below its floor is not ready for production.
 */
export function checkFoldedSeeds(seeds: FoldedSeeds, evals: FoldedEvals, mayBeReady: boolean): void {
  const { source_seed_count: source, train_count: train, holdout_count: holdout } = seeds
  if (seeds.split_mode === 'cross_fit') checkCrossFit(seeds, evals)
  else {
    demand(train > 0 && train + holdout === source, 'seed_provenance: train and scored rows are not all rows')
    demand(
      seeds.fold_rule === null && seeds.fold_sizes === null,
      'seed_provenance: there are folds only in cross-fitting',
    )
    demand(
      (evals.digests ?? evals.rows).every(({ fold }) => fold === null),
      'evals.json: rows are in folds only in cross-fitting',
    )
  }
  const isDrawn = seeds.split_mode !== 'test_rows'
  demand((seeds.split_seed !== null) === isDrawn, 'seed_provenance: a split has a seed, and test rows have none')
  demand((seeds.stratified_by !== null) === isDrawn, 'seed_provenance: only a split is stratified')
  if (seeds.split_mode === 'holdout') {
    demand(canHoldOut(source), `seed_provenance: ${source} rows are too few to hold some out`)
    const most = mostHeldOut(source)
    demand(holdout >= LEAST_HELD, `seed_provenance: ${holdout} rows were held out, at least ${LEAST_HELD} are`)
    demand(holdout <= most, `seed_provenance: ${holdout} rows were held out, at most ${most} are`)
  }
  demand(isOfBuild(seeds), 'seed_provenance: figures are not those of a build')
  const isReady = mayBeReady && splitShortfalls(seeds).length === 0
  demand(seeds.production_ready === isReady, `seed_provenance: production_ready is ${isReady}`)
}

function isOfBuild({ figures, eval_source: source }: FoldedSeeds): boolean {
  if (figures === undefined) return true
  const known: readonly object[] = [
    SEED_FIGURES[source],
    ...(source === 'tenant_captured' ? [EARLIER_CAPTURED_FIGURES] : []),
  ]
  return known.some((each) => hashJson(toJsonObject(each)) === hashJson(toJsonObject(figures)))
}

function checkCrossFit(seeds: FoldedSeeds, evals: FoldedEvals): void {
  const { source_seed_count: source, fold_sizes: sizes, seeds_hash: all } = seeds
  demand(
    seeds.train_count === source && seeds.holdout_count === source,
    'seed_provenance: in cross-fitting every row is learned from and scored',
  )
  demand(
    seeds.train_hash === all && seeds.holdout_hash === all,
    'seed_provenance: in cross-fitting all three digests of rows are one',
  )
  demand(
    seeds.fold_rule === FOLD_RULE && sizes !== null,
    'seed_provenance: the rule or the sizes of the folds are missing',
  )
  const count = countFolds(source)
  demand(sizes.length === count, `seed_provenance: ${source} rows are in ${count} folds, not ${sizes.length}`)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  demand(total === source && !sizes.includes(0), 'seed_provenance: the folds do not partition the rows')
  const shown = sizes.map(() => 0)
  const rows = evals.digests ?? evals.rows
  for (const [place, { id, fold }] of rows.entries()) {
    demand(fold !== null && fold < count, `row ${place + 1} (${id}) is in no fold`)
    shown[fold] = (shown[fold] ?? 0) + 1
  }
  const isWhole = rows.length === evals.n
  demand(
    shown.every((rows, fold) => (isWhole ? rows === sizes[fold] : rows <= (sizes[fold] ?? 0))),
    'evals.json: the folds have other sizes than seed_provenance states',
  )
  if (evals.shown === evals.n) checkPlan(seeds, evals)
}

/** Makes the folds again from the rows. */
function checkPlan(seeds: FoldedSeeds, { rows }: FoldedEvals): void {
  const given = rows.map(({ id, input, expected }) => ({ id, input, output: expected }))
  const groupOf = groupNearDuplicates(given.map(({ input }) => input))
  const { foldOf, byLabel } = planFolds(given, groupOf, seeds.split_seed ?? '')
  const other = rows.findIndex(({ fold }, place) => fold !== foldOf[place])
  demand(other === -1, `row ${other + 1} (${rows[other]?.id}) is in another fold than the rule gives`)
  demand(seeds.stratified_by === (byLabel ? 'label' : 'none'), 'seed_provenance: stratified_by is of other rows')
  const leakage = reportLeakage(
    groupOf,
    (row) => foldOf[row] ?? 0,
    () => true,
    assertDistinctInputs(given),
  )
  const { input_overlap, near_duplicate_groups, near_duplicate_rows, divided_groups, near_duplicate_overlap } =
    seeds.leakage_report
  const stated = { input_overlap, near_duplicate_groups, near_duplicate_rows, divided_groups, near_duplicate_overlap }
  demand(hashJson(stated) === hashJson({ ...leakage }), 'leakage_report is not what the rows give')
}
