//! `control::ports::Metrics` from the Prometheus recorder.

use metrics_exporter_prometheus::PrometheusHandle;

/// The recorder's text form.
pub(crate) struct PrometheusText(pub(crate) PrometheusHandle);

impl control::ports::Metrics for PrometheusText {
    fn render(&self) -> String {
        self.0.render()
    }
}
