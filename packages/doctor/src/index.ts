export { type CheckName, checkNames, partsOf } from './check-names.ts';
export type { Finding, Found } from './examine.ts';
export { linesOf, summaryOf, type Verdict, verdictOf } from './report.ts';
export { type DoctorSettings, runDoctor } from './run-doctor.ts';
