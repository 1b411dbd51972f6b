import { html } from 'htm/preact'
import { usePage } from '../../../app/use-page.js'
import { Figures } from '../../../parts/evidence/figures.js'
import { later } from '../../../parts/read/later.js'
import { isLive } from '../artifact-state.js'
import { Life } from '../life/life.js'
import { DiagnosisSection } from './diagnosis.js'
import { HeldOutRows } from './held-out-rows.js'
import { Lineage } from './lineage.js'

const LeavesTable = later(async () => (await import('./leaves-table.js')).LeavesTable)
const RiskCurve = later(async () => (await import('../../../parts/chart/risk-curve.js')).RiskCurve)

/**
 * The rows that an artifact was scored on, what they show of it, its life and its lineage.
 *
 * @param {{ artifact: import('../artifact.js').Artifact }} props
 */
export function Evidence({ artifact }) {
  const { session } = usePage()
  const { certificate, leaves } = artifact
  return html`${session.can('compile:read') && html`<${HeldOutRows} id=${artifact.job_id} />`}
    ${isLive(artifact) && html`<${DiagnosisSection} cid=${artifact.cid} stored=${artifact.stored_reports ?? []} />`}
    ${leaves && html`<${LeavesTable} leaves=${leaves} />`}
    <${Figures} figures=${artifact.figures} />
    ${
      certificate !== null &&
      html`<h2>Certificate</h2>
        <p>${certificate.statement}</p>
        <${RiskCurve} calibration=${certificate} />`
    }
    <${Life} artifact=${artifact} />
    <${Lineage} artifact=${artifact} />`
}
