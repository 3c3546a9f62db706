// Compares the file that promptfoo imported with the one that it exported: promptfoo.mjs IMPORTED EXPORTED
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const [imported, exported] = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, "utf8")).results);

// promptfoo orders results as it likes; their places say which cell they are.
const cells = ({ results }) =>
  Object.fromEntries(
    results.map((result) => [
      `${result.testIdx}/${result.promptIdx}`,
      {
        package: result.vars.package,
        provider: result.provider.id,
        success: result.success,
        score: result.score,
        namedScores: result.namedScores,
        checks: result.gradingResult.componentResults.map(({ pass, score, reason }) => ({ pass, score, reason })),
        output: result.response.output,
        cost: result.cost,
        failureReason: result.failureReason,
        error: result.error ?? null,
        metadata: result.metadata,
      },
    ]),
  );
const columns = ({ prompts }) =>
  prompts.map(({ label, provider, metrics }) => ({
    label,
    provider,
    score: metrics.score,
    passed: metrics.testPassCount,
    failed: metrics.testFailCount,
    errors: metrics.testErrorCount,
    namedScores: metrics.namedScores,
    cost: metrics.cost,
  }));
const counts = ({ stats: { successes, failures, errors } }) => ({ successes, failures, errors });

assert.ok(imported.results.length > 0, "the imported file has no results");
assert.deepEqual(cells(exported), cells(imported));
assert.deepEqual(columns(exported), columns(imported));
assert.deepEqual(counts(exported), counts(imported));
console.log(`promptfoo kept ${imported.results.length} results in ${imported.prompts.length} columns`);
