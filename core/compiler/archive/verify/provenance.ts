import { canonicalJson, hashJson } from '../../../json.ts'
import { LEAVE_ONE_OUT_BELOW } from '../../split/split-rows.ts'
import type { ContentMembers } from '../content.ts'
import { hashOf, recipeSource, sizeOf } from '../recipe-facts.ts'
import type { BuildDocument, SeedProvenanceDocument } from '../schemas/build.ts'
import type { UnpackedArchive } from '../unpack.ts'
import { demand } from './demand.ts'

/** No row of the holdout was among the train rows. */
export function checkSplit({ build }: UnpackedArchive): string {
  const { input_overlap: overlap } = build.seed_provenance.leakage_report
  demand(overlap === 0, `${overlap} holdout rows were among the train rows`)
  return `no input on both sides, provenance ${hashJson(build.seed_provenance)}`
}

/** What build.json says of rows, split, samples and teacher agrees with the evaluation, the recipe and itself. */
export function checkProvenance({ build }: UnpackedArchive, content: ContentMembers): string {
  checkSeeds(build.seed_provenance, content)
  checkWinner(build, content)
  checkTeacher(build)
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
  demand(grouped + leakage.near_duplicate_overlap === 0, 'seed_provenance: leave-one-out has no near-duplicates to keep')
}

function checkLeakage({ leakage_report: leakage, source_seed_count: source, holdout_count: holdout }: SeedProvenanceDocument) {
  const { near_duplicate_groups: groups, near_duplicate_rows: rows, divided_groups: divided } = leakage
  const { near_duplicate_overlap: overlap } = leakage
  demand(rows >= 2 * groups && rows <= source && (groups > 0 || rows === 0), 'leakage_report: no such near-duplicates')
  demand(divided <= groups, 'leakage_report: more groups were divided than there were')
  demand(overlap <= Math.min(holdout, rows) && (divided > 0 || overlap === 0), 'leakage_report: no such overlap')
}

/** The recipe is the winner of its kind among the samples. */
function checkWinner({ samples, recipe_kind: kind }: BuildDocument, content: ContentMembers): void {
  demand(new Set(samples.map(({ id }) => id)).size === samples.length, 'samples: two have one id')
  const winners = samples.filter((sample) => sample.kind === kind && sample.verdict.chosen === 'winner')
  demand(winners.length === 1, `samples: ${winners.length} winners of the kind ${kind}`)
  const source = recipeSource(content)
  for (const { recipe_hash: hash, size_bytes: size } of winners) {
    demand(hash === hashOf(source), 'samples: the winner is not the recipe of the archive')
    demand(size === sizeOf(source), 'samples: the winner has another size than the recipe of the archive')
  }
}

/** The report on the teacher is the sum of its samples. */
function checkTeacher({ samples, teacher }: BuildDocument): void {
  const given = samples.flatMap((sample) => sample.teacher ?? [])
  if (teacher === undefined) {
    demand(given.length === 0, 'samples: some are by a teacher, and there is no report on one')
    return
  }
  const bought = given.filter(({ reused }) => !reused)
  const sum = (value: (facts: (typeof bought)[number]) => number): number =>
    bought.reduce((total, facts) => total + value(facts), 0)
  const stated = {
    samples: teacher.samples,
    bought: teacher.bought,
    reused: teacher.reused,
    input_tokens: teacher.input_tokens,
    cached_tokens: teacher.cached_tokens,
    output_tokens: teacher.output_tokens,
    cost_usd_micros: Math.round(teacher.cost_usd * 1_000_000),
  }
  const summed = {
    samples: given.length,
    bought: bought.length,
    reused: given.length - bought.length,
    input_tokens: sum((facts) => facts.input_tokens),
    cached_tokens: sum((facts) => facts.cached_tokens),
    output_tokens: sum((facts) => facts.output_tokens),
    cost_usd_micros: sum((facts) => Math.round(facts.cost_usd * 1_000_000)),
  }
  const same = canonicalJson(stated) === canonicalJson(summed)
  demand(same, `teacher: the report says ${canonicalJson(stated)}, the samples give ${canonicalJson(summed)}`)
  demand(given.length === 0 || teacher.status === 'asked', 'teacher: it gave samples, so it was asked')
}
