//! What the control plane needs from others.

/// The metrics of the whole process, as text for Prometheus.
pub trait Metrics: Send + Sync + 'static {
    /// All metrics now.
    fn render(&self) -> String;
}
