export { type CheckName, checkNames, partsOf } from './doctor/running/check-names.ts';
export type { Finding, Found } from './doctor/running/examine.ts';
export { linesOf, summaryOf, type Verdict, verdictOf } from './doctor/running/report.ts';
export { type DoctorSettings, runDoctor } from './doctor/running/run-doctor.ts';
