import { hashJson } from '../../../kernel/json/json.ts'
import { LEAVE_ONE_OUT_BELOW } from '../../rows/split/split-rows.ts'
import type { ContentMembers } from '../members/content.ts'
import type { SeedProvenanceDocument } from '../schemas/build.ts'
import type { UnpackedArchive } from '../unpack.ts'
import { demand } from './demand.ts'
import { checkSamples, checkStages, checkTeacher } from './samples.ts'

/** Train rows that the checks of a verifier are made from at most. */
const VERIFIER_ROWS = 2000

/** No row of the holdout was among the train rows. */
export function checkSplit({ build }: UnpackedArchive): string {
  const { input_overlap: overlap } = build.seed_provenance.leakage_report
  demand(overlap === 0, `${overlap} holdout rows were among the train rows`)
  return `no input on both sides, provenance ${hashJson(build.seed_provenance)}`
}

/**
 * Checks that build.json's facts of rows, split, samples and teacher agree with the evaluation, the recipe and each
 * other.
 */
export function checkProvenance({ build }: UnpackedArchive, content: ContentMembers): string {
  checkSeeds(build.seed_provenance, content)
  checkCompleteness(build.seed_provenance, content)
  checkSamples(build, content)
  checkTeacher(build)
  checkStages(build)
  const { train_count: train, holdout_count: holdout, split_mode: mode } = build.seed_provenance
  return mode === 'holdout'
    ? `${train} rows to learn from, ${holdout} held out`
    : `${holdout} rows, each held out in its turn`
}

function checkSeeds(seeds: SeedProvenanceDocument, { evals }: ContentMembers): void {
  const { source_seed_count: source, train_count: train, holdout_count: holdout, leakage_report: leakage } = seeds
  demand(seeds.split_mode === evals.split, 'seed_provenance and evals.json state another split')
  demand(holdout === evals.n, `seed_provenance: ${holdout} rows were held out, and ${evals.n} evaluated`)
  demand(seeds.holdout_hash === evals.eval_set_hash, 'seed_provenance: holdout_hash is not that of the evaluated rows')
  demand(seeds.approved_count === source, 'seed_provenance: approved_count is not source_seed_count')
  demand(seeds.synthesis_input_hash === seeds.train_hash, 'seed_provenance: the sampled rows are not the train rows')
  demand(seeds.leakage_report_hash === hashJson(leakage), 'seed_provenance: leakage_report_hash is of another report')
  if (seeds.split_mode === 'leave_one_out') checkLeaveOneOut(seeds)
  else {
    demand(source >= LEAVE_ONE_OUT_BELOW, `seed_provenance: ${source} rows are too few for a holdout`)
    demand(train > 0 && train + holdout === source, 'seed_provenance: train and holdout are not all rows')
    const most = Math.ceil(source * seeds.holdout_ratio)
    demand(holdout <= most, `seed_provenance: ${holdout} rows were held out, at most ${most} are`)
  }
  checkLeakage(seeds)
  const isEnough = seeds.split_mode === 'holdout' && train >= seeds.min_train && holdout >= seeds.min_holdout
  const isReady = isEnough && leakage.near_duplicate_overlap === 0
  demand(seeds.production_ready === isReady, `seed_provenance: production_ready is ${isReady}`)
}

/** The verifier's checks were tried on all train rows, up to a number. */
function checkCompleteness({ train_count: train }: SeedProvenanceDocument, { verifier }: ContentMembers): void {
  const tried = train < 2 ? 0 : Math.min(train, VERIFIER_ROWS)
  const { rows } = verifier.completeness
  demand(rows === tried, `verifier.json: completeness is of ${tried} rows, not ${rows}`)
}

function checkLeaveOneOut(seeds: SeedProvenanceDocument): void {
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

function checkLeakage({
  leakage_report: leakage,
  source_seed_count: source,
  holdout_count: holdout,
}: SeedProvenanceDocument) {
  const { near_duplicate_groups: groups, near_duplicate_rows: rows, divided_groups: divided } = leakage
  const { near_duplicate_overlap: overlap } = leakage
  demand(rows >= 2 * groups && rows <= source && (groups > 0 || rows === 0), 'leakage_report: no such near-duplicates')
  demand(divided <= groups, 'leakage_report: more groups were divided than there were')
  demand(overlap <= Math.min(holdout, rows) && (divided > 0 || overlap === 0), 'leakage_report: no such overlap')
}
