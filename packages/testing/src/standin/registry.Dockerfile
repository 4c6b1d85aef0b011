FROM indelible-standin/root
COPY registry /deployments
USER 1001:0
ENTRYPOINT ["java", "-jar", "/deployments/apicurio-registry-app-3.0.9-runner.jar"]
