import { hashJson } from '../../../kernel/json/json.ts'
import { hashRows } from '../../rows/split/row-hashes.ts'
import { gatherRows } from '../recompute/gather-rows.ts'
import type { ContentMembers } from '../members/content.ts'
import { isFolded, scoringOf } from '../members/documents.ts'
import { MAX_KEPT_ROWS } from '../../rows/split/kept-rows.ts'
import type { RowsDocument } from '../schemas/rows.ts'
import type { BuildDocument, SeedProvenanceDocument } from '../schemas/build.ts'
import type { UnpackedArchive } from '../unpack.ts'
import { demand } from './demand.ts'
import { checkEarlierSeeds } from './earlier/earlier-seeds.ts'
import { checkFoldedSeeds } from './evals/folds.ts'
import { checkSamples, checkStages, checkTeacher } from './samples.ts'
import { checkUnlabelled } from './unlabelled.ts'

/** Train rows that the checks of a verifier are made from at most. */
const VERIFIER_ROWS = 2000

/** No scored row was among the rows that its recipe was fitted on. */
export function checkSplit({ build }: UnpackedArchive): string {
  const { input_overlap: overlap } = build.seed_provenance.leakage_report
  demand(overlap === 0, `${overlap} scored rows were among the train rows`)
  return `no input on both sides, provenance ${hashJson(build.seed_provenance)}`
}

/**
 * Checks that build.json's facts of rows, split, samples and teacher agree with the evaluation, the recipe and each
 * other.
 */
export function checkProvenance({ build }: UnpackedArchive, content: ContentMembers): string {
  checkSeeds(build, content)
  checkRows(build.seed_provenance, content)
  checkCompleteness(build.seed_provenance, content)
  checkSamples(build, content)
  checkTeacher(build)
  checkStages(build)
  checkUnlabelled(build, content)
  return describeSplit(build.seed_provenance)
}

/** The rows that rows.json holds, with the evaluated ones in their places, are those whose digests are stated. */
function checkRows(seeds: SeedProvenanceDocument, content: ContentMembers): void {
  if (content.rows === null) return
  if (content.rows.spec === 'svc-rows-2') {
    checkRowDigests(seeds, content.rows, content.evals)
    return
  }
  const gathered = gatherRows(content, seeds, undefined)
  demand(!('missing' in gathered), 'rows.json: the scored rows are not all shown, so it has no place')
  const { learned } = content.rows
  demand(learned.length === 0 || hashRows(learned) === seeds.train_hash, 'rows.json: train_hash is of other rows')
}

/** Digests of rows agree with those of the split. */
function checkRowDigests(
  seeds: SeedProvenanceDocument,
  { learned, negatives, unlabelled, why_digests: why }: Extract<RowsDocument, { spec: 'svc-rows-2' }>,
  evals: ContentMembers['evals'],
): void {
  demand(evals.rows.length > 0, 'rows.json: evals.json holds digests, so it has no place')
  const due = isFolded(evals) ? 0 : seeds.train_count
  demand(learned.n === due, `rows.json: ${learned.n} rows were learned from, not ${due}`)
  demand(learned.n === 0 || learned.hash === seeds.train_hash, 'rows.json: train_hash is of other rows')
  const { unlabelled_count: count = 0, unlabelled_hash: hash } = seeds.spec === undefined ? {} : seeds
  demand(
    unlabelled.n === count && (count === 0 || unlabelled.hash === hash),
    'rows.json: the unlabelled inputs are not those of unlabelled_hash',
  )
  const isMany = Math.max(learned.n + evals.n, negatives.n, unlabelled.n) > MAX_KEPT_ROWS
  demand(isMany === (why === 'too_many_rows'), `rows.json: why_digests is ${why}`)
}

function describeSplit(seeds: SeedProvenanceDocument): string {
  const { train_count: train, holdout_count: holdout } = seeds
  switch (seeds.split_mode) {
    case 'cross_fit':
      return `${holdout} rows in ${seeds.fold_sizes?.length ?? 0} folds, each row scored without its fold`
    case 'test_rows':
      return `${train} rows to learn from, ${holdout} test rows`
    case 'holdout':
      return `${train} rows to learn from, ${holdout} held out`
    case 'leave_one_out':
      return `${holdout} rows, each held out in its turn`
  }
}

function checkSeeds({ seed_provenance: seeds, accepted }: BuildDocument, { evals }: ContentMembers): void {
  const mayBeReady = accepted === undefined
  const { source_seed_count: source, holdout_count: holdout, leakage_report: leakage } = seeds
  demand(seeds.split_mode === scoringOf(evals), 'seed_provenance and evals.json state another split')
  demand(holdout === evals.n, `seed_provenance: ${holdout} rows were scored, and ${evals.n} evaluated`)
  demand(seeds.holdout_hash === evals.eval_set_hash, 'seed_provenance: holdout_hash is not that of the held-out rows')
  demand(seeds.approved_count === source, 'seed_provenance: approved_count is not source_seed_count')
  demand(seeds.synthesis_input_hash === seeds.train_hash, 'seed_provenance: the sampled rows are not the train rows')
  demand(seeds.leakage_report_hash === hashJson(leakage), 'seed_provenance: leakage_report_hash is of another report')
  checkLeakage(seeds)
  if (seeds.spec === undefined) {
    demand(evals.spec === 'svc-evals-1', 'seed_provenance and evals.json are of other versions')
    checkEarlierSeeds(seeds, mayBeReady)
  } else {
    demand(evals.spec === 'svc-evals-2', 'seed_provenance and evals.json are of other versions')
    checkFoldedSeeds(seeds, evals, mayBeReady)
  }
}

/** The verifier's checks were tried on all train rows, up to a number. */
function checkCompleteness({ train_count: train }: SeedProvenanceDocument, { verifier }: ContentMembers): void {
  const tried = train < 2 ? 0 : Math.min(train, VERIFIER_ROWS)
  const { rows } = verifier.completeness
  demand(rows === tried, `verifier.json: completeness is of ${tried} rows, not ${rows}`)
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
