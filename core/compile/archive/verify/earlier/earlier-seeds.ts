import type { EarlierSeeds } from '../../schemas/build.ts'
import { demand } from '../demand.ts'

/** Rows under which earlier builds held out every row once instead of a fifth of them. */
const LEAVE_ONE_OUT_BELOW = 20

/** Checks the split of a build before cross-fitting: a holdout of a fifth, or leave-one-out. */
export function checkEarlierSeeds(seeds: EarlierSeeds, mayBeReady: boolean): void {
  const { source_seed_count: source, train_count: train, holdout_count: holdout, leakage_report: leakage } = seeds
  if (seeds.split_mode === 'leave_one_out') checkLeaveOneOut(seeds)
  else {
    demand(source >= LEAVE_ONE_OUT_BELOW, `seed_provenance: ${source} rows are too few for a holdout`)
    demand(train > 0 && train + holdout === source, 'seed_provenance: train and holdout are not all rows')
    const most = Math.ceil(source * seeds.holdout_ratio)
    demand(holdout <= most, `seed_provenance: ${holdout} rows were held out, at most ${most} are`)
  }
  const isEnough = seeds.split_mode === 'holdout' && train >= seeds.min_train && holdout >= seeds.min_holdout
  const isReady = mayBeReady && isEnough && leakage.near_duplicate_overlap === 0
  demand(seeds.production_ready === isReady, `seed_provenance: production_ready is ${isReady}`)
}

function checkLeaveOneOut(seeds: EarlierSeeds): void {
  const { source_seed_count: source, leakage_report: leakage } = seeds
  demand(source < LEAVE_ONE_OUT_BELOW, `seed_provenance: ${source} rows are too many to leave one out`)
  demand(
    seeds.train_count === source && seeds.holdout_count === source,
    'seed_provenance: with leave-one-out every row is on both sides',
  )
  demand(
    seeds.train_hash === seeds.holdout_hash && seeds.seeds_hash === seeds.holdout_hash,
    'seed_provenance: with leave-one-out all three digests of rows are one',
  )
  const grouped = leakage.near_duplicate_groups + leakage.near_duplicate_rows + leakage.divided_groups
  demand(
    grouped + leakage.near_duplicate_overlap === 0,
    'seed_provenance: leave-one-out has no near-duplicates to keep',
  )
}
