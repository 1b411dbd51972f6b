import type { QualityReport } from './quality-report.ts'

/** Returns a report that names none of these rows: they were forgotten. Its counts stay as they were measured. */
export function withoutRows(report: QualityReport, ids: ReadonlySet<string>): QualityReport {
  const others = (names: readonly string[]): string[] => names.filter((id) => !ids.has(id))
  const { contradictions, label_noise: noise, pii, contamination } = report
  const { own, others: elsewhere, benchmarks } = contamination
  return {
    ...report,
    contradictions: contradictions && { ...contradictions, row_ids: others(contradictions.row_ids) },
    label_noise: noise && { ...noise, suspects: noise.suspects.filter(({ row_id: id }) => !ids.has(id)) },
    pii: { ...pii, row_ids: others(pii.row_ids) },
    contamination: {
      own: { ...own, row_ids: others(own.row_ids) },
      others: elsewhere && { ...elsewhere, row_ids: others(elsewhere.row_ids) },
      ...(benchmarks !== undefined && {
        benchmarks: benchmarks && { ...benchmarks, row_ids: others(benchmarks.row_ids) },
      }),
    },
  }
}
